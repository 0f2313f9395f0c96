!> Static coarrays, of modules and of procedures, and coarray dummy arguments, in teams.
module fields
  implicit none
  real(8) :: field(10)[*] = 3
end module

program static_coarrays
  use checks
  use fields
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: team
  integer :: me, k

  me = this_image()
  form team (1 + mod(me, 2), team)
  change team (team)
    call require_equal(int(field(10)[right_of(this_image())]), 3, 'initial value')
    sync all
    do k = 1, 10
      call step(k)
      call shift(field, k)
      call shift(field(3:7), k)
    end do
  end team
  sync all
  call require(all(field(3:7) == 110), 'after END TEAM')

contains

  !> A coarray that belongs to a procedure.
  subroutine step(k)
    integer, intent(in) :: k
    integer, save :: mine(3)[*] = 0

    mine(2)[right_of(this_image())] = k
    sync all
    call require(mine(2) == k .and. mine(1) == 0, 'coarray of a procedure')
    sync all
  end subroutine

  subroutine shift(x, k)
    real(8), intent(inout) :: x(:)[*]
    integer, intent(in) :: k

    x(:)[left_of(this_image())] = 10 * k + 10
    sync all
    call require(all(x == 10 * k + 10), 'dummy argument')
    sync all
  end subroutine
end program
