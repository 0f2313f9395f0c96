!> MOVE_ALLOC of coarrays inside teams, and what was moved is gone after END TEAM, whatever the compiler thinks.
program moved
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: team
  integer :: k

  form team (1 + mod(this_image(), 2), team)
  do k = 1, 10
    call in_a_team(k)
  end do

contains

  subroutine in_a_team(k)
    integer, intent(in) :: k
    integer, allocatable :: a(:)[:], b(:)[:]

    change team (team)
      allocate (a(k)[*])
      a = this_image()
      call move_alloc(a, b)
      call require(.not. allocated(a) .and. allocated(b), 'allocated')
      call require(all(b == this_image()), 'value')
      call require_equal(b(k)[right_of(this_image())], right_of(this_image()), 'value elsewhere')
      allocate (a(1)[*])
      sync all
      if (mod(k, 2) == 0) deallocate (b)
    end team
    call require(.not. allocated(a), 'after END TEAM')
    ! The end of the procedure deallocates b, which END TEAM has done.
  end subroutine
end program
