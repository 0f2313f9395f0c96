!> Coarray components of objects, allocated in teams and deallocated by END TEAM.
! Not with gfortran 15 and later: gets through assumed-shape dummy coarrays end with SIGSEGV.
program components
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type field
    integer :: width = 0
    integer, allocatable :: values(:)[:]
    real(8), allocatable :: total[:]
  end type
  type(team_type) :: team
  type(field), save :: kept
  integer :: k

  form team (1 + mod(this_image(), 2), team)
  do k = 1, 5
    change team (team)
      call make(kept, k)
      call exchange(kept%values, kept%total, k)
    end team
    call require(.not. allocated(kept%values) .and. .not. allocated(kept%total), 'after END TEAM')
    call require_equal(kept%width, k, 'the rest of the object')
    call local(k)
  end do

contains

  subroutine make(f, k)
    type(field), intent(inout) :: f
    integer, intent(in) :: k

    f%width = k
    allocate (f%values(k)[*], f%total[*])
    f%values = this_image(); f%total = -k
    sync all
  end subroutine

  !> (Access through the object itself goes by reference.)
  subroutine exchange(values, total, k)
    integer, intent(in) :: values(:)[*], k
    real(8), intent(in) :: total[*]
    integer :: next

    next = right_of(this_image())
    call require_equal(values(k)[next], next, 'array component')
    call require(total[next] == -k, 'scalar component')
    sync all
  end subroutine

  !> Up to gfortran 15 the compiler may believe that they are allocated after END TEAM. The end of the procedure does no harm.
  subroutine local(k)
    integer, intent(in) :: k
    type(field) :: mine

    change team (team)
      call make(mine, k)
      call exchange(mine%values, mine%total, k)
      if (mod(k, 2) == 0) deallocate (mine%values)
    end team
  end subroutine
end program
