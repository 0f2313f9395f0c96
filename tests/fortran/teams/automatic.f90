!> Local coarrays of procedures and blocks that are called in teams: freed at the end of the procedure, in the team.
program automatic
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: team
  integer :: me, k

  me = this_image()
  form team (1 + mod(me, 3), team)
  do k = 1, 30
    call local(k)
    change team (team)
      call local(100 * mod(me, 3) + k)
      block
        integer, allocatable :: b[:]
        allocate (b[*])
        b = this_image()
        sync all
        call require_equal(b[left_of(this_image())], left_of(this_image()), 'coarray of a block')
      end block
      call local(k)
    end team
  end do

contains

  subroutine local(k)
    integer, intent(in) :: k
    integer, allocatable :: a(:)[:], c(:)[:]

    call require(.not. allocated(a), 'allocated at the start')
    allocate (a(k)[*])
    a = k
    allocate (c(2 * k)[*])
    c = -k
    sync all
    call require_equal(a(k)[right_of(this_image())], k, 'local coarray')
    call require_equal(c(1)[left_of(this_image())], -k, 'second local coarray')
    if (mod(k, 2) == 0) return
    deallocate (a)
  end subroutine
end program
