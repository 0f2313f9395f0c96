! NPB CG in raw MPI: the matrix, the solver and the clock of npb_cg.f90, with sums by MPI_Allreduce in a
! communicator for each row of the grid and the transpose exchange by messages. mpi_images.c tells the shared parts
! which image they run on.
!
! Usage:  mpi_cg [S|W|A|B]
include '../../fortran/npb_cg/problem.f90'
include '../../fortran/npb_cg/random.f90'
include '../../fortran/npb_cg/matrix.f90'
include '../../fortran/npb_cg/grid.f90'
include '../../fortran/npb_cg/solver.f90'
include '../../fortran/npb_cg/benchmark.f90'

module cg_mpi
  use mpi
  use cg_problem, only: dp, problem
  use cg_grid, only: make_grid
  use cg_solver, only: solver
  implicit none
  private
  public :: mpi_solver

  type, extends(solver) :: mpi_solver
    integer :: row_comm
  contains
    procedure :: prepare
    procedure :: sum_scalars
    procedure :: sum_vector
    procedure :: transpose_result
  end type mpi_solver

contains

  subroutine prepare(s, prob)
    class(mpi_solver), intent(inout) :: s
    type(problem), intent(in) :: prob
    integer :: error

    s%form = 'raw MPI'
    s%place = make_grid(prob%n)
    call MPI_Comm_split(MPI_COMM_WORLD, s%place%row, s%place%col, s%row_comm, error)
  end subroutine prepare

  subroutine sum_vector(s, v)
    class(mpi_solver), intent(inout) :: s
    real(dp), contiguous, intent(inout) :: v(:)
    integer :: error

    call MPI_Allreduce(MPI_IN_PLACE, v, size(v), MPI_DOUBLE_PRECISION, MPI_SUM, s%row_comm, error)
  end subroutine sum_vector

  subroutine sum_scalars(s, a, b)
    class(mpi_solver), intent(inout) :: s
    real(dp), intent(inout) :: a
    real(dp), intent(inout), optional :: b
    real(dp) :: both(2)
    integer :: numbers, error

    both(1) = a
    numbers = 1
    if (present(b)) then
      both(2) = b
      numbers = 2
    end if
    call MPI_Allreduce(MPI_IN_PLACE, both, numbers, MPI_DOUBLE_PRECISION, MPI_SUM, s%row_comm, error)
    a = both(1)
    if (present(b)) b = both(2)
  end subroutine sum_scalars

  subroutine transpose_result(s, w, q)
    class(mpi_solver), intent(inout) :: s
    real(dp), contiguous, intent(in) :: w(:)
    real(dp), contiguous, intent(out) :: q(:)
    integer :: n, other, error

    n = s%place%send_last - s%place%send_first + 1
    if (s%place%transposed_image == this_image()) then
      q = w(s%place%send_first:s%place%send_last)
      return
    end if
    other = s%place%transposed_image - 1
    call MPI_Sendrecv(w(s%place%send_first:s%place%send_last), n, MPI_DOUBLE_PRECISION, other, 0, &
                      q, size(q), MPI_DOUBLE_PRECISION, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  end subroutine transpose_result
end module cg_mpi

program mpi_cg
  use cg_problem, only: problem
  use cg_mpi, only: mpi_solver
  use cg_benchmark, only: choose_problem, run_benchmark
  implicit none
  type(problem) :: prob
  type(mpi_solver) :: cg

  call choose_problem('mpi_cg', prob)
  call run_benchmark(cg, prob)
end program mpi_cg
