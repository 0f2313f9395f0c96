!> Jacobi sweeps of the Himeno benchmark, size S, with a sum over all images in each: the field and the rows. Both forms share
!> it and himeno_problem.f90.
module himeno_air
  use pair_timing, only: dp, measure, selected, tell_check
  implicit none

  !> Points in a plane, and the most planes of an image besides those of its neighbours.
  integer, parameter :: nx = 128, ny = 64, most = 31
  integer, parameter :: points = nx*ny*64
  real :: a(nx, ny, most, 4), b(nx, ny, most, 3), c(nx, ny, most, 3), source(nx, ny, most), bound(nx, ny, most)
  !> The first and the last own plane, and how many there are.
  integer :: first, last, planes
  !> The copy of the field that is read.
  integer :: old
  !> What the last sweep has corrected.
  real(dp) :: correction

contains

  !> Times sweeps. `start` gives the field its start.
  subroutine measure_sweeps(sweeps, start)
    interface
      subroutine sweeps(n)
        integer, intent(in) :: n
      end subroutine sweeps
      subroutine start()
      end subroutine start
    end interface
    integer, parameter :: compared_sweeps = 20

    if (.not. selected('himeno', points)) return
    call start()
    call measure('himeno', points, sweeps)
    call start()
    call sweeps(compared_sweeps)
    call tell_check('himeno', points, correction)
  end subroutine measure_sweeps

end module himeno_air
