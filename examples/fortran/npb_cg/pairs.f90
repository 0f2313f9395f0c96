! The sums over a grid row in Fortran 2008: recursive doubling with puts, each
! followed by a sync with the one partner. Buffers are double, as in cg_exchange.
module cg_pairs
  use cg_problem, only: dp, problem
  use cg_grid, only: make_grid
  use cg_exchange, only: prepare_exchange, exchange_with_partner
  use cg_solver, only: solver
  implicit none (type, external)
  private
  public :: pair_solver

  type, extends(solver) :: pair_solver
  contains
    procedure :: prepare
    procedure :: sum_scalars
    procedure :: sum_vector
    procedure :: transpose_result
  end type pair_solver

  integer :: steps                            ! of a sum over the grid row
  integer, allocatable :: row_partner(:)      ! image index for each step
  integer :: vector_half = 1, scalar_half = 1

  real(dp), allocatable :: vector_in(:, :, :)[:]  ! element, step, half
  real(dp), allocatable :: scalar_in(:, :, :)[:]  ! element, step, half

contains

  subroutine prepare(s, prob)
    class(pair_solver), intent(inout) :: s
    type(problem), intent(in) :: prob
    integer :: step

    s%form = 'puts and sync images'
    s%place = make_grid(prob%n)
    associate (at => s%place)
      steps = trailz(at%cols)
      allocate (row_partner(steps))
      do step = 1, steps
        row_partner(step) = at%image_at(at%row, ieor(at%col, 2**(step - 1)))
      end do
      allocate (vector_in(at%longest_rows, max(1, steps), 2)[*])
      allocate (scalar_in(2, max(1, steps), 2)[*])
      call prepare_exchange(at)
    end associate
  end subroutine prepare

  ! Every image of the row ends with the same bits.
  subroutine sum_vector(s, v)
    class(pair_solver), intent(inout) :: s
    real(dp), contiguous, intent(inout) :: v(:)

    call add_to_vector(vector_in(:, :, vector_half), v)
    vector_half = 3 - vector_half
  end subroutine sum_vector

  subroutine sum_scalars(s, a, b)
    class(pair_solver), intent(inout) :: s
    real(dp), intent(inout) :: a
    real(dp), intent(inout), optional :: b

    call add_to_scalars(scalar_in(:, :, scalar_half), a, b)
    scalar_half = 3 - scalar_half
  end subroutine sum_scalars

  subroutine add_to_vector(buffer, v)
    real(dp), intent(inout) :: buffer(:, :)[*] ! element, step
    real(dp), contiguous, intent(inout) :: v(:)
    integer :: step, n

    n = size(v)
    do step = 1, steps
      buffer(1:n, step)[row_partner(step)] = v
      sync images (row_partner(step))
      v = v + buffer(1:n, step)
    end do
  end subroutine add_to_vector

  subroutine add_to_scalars(buffer, a, b)
    real(dp), intent(inout) :: buffer(:, :)[*] ! element, step
    real(dp), intent(inout) :: a
    real(dp), intent(inout), optional :: b
    integer :: step

    do step = 1, steps
      buffer(1, step)[row_partner(step)] = a
      if (present(b)) buffer(2, step)[row_partner(step)] = b
      sync images (row_partner(step))
      a = a + buffer(1, step)
      if (present(b)) b = b + buffer(2, step)
    end do
  end subroutine add_to_scalars

  subroutine transpose_result(s, w, q)
    class(pair_solver), intent(inout) :: s
    real(dp), contiguous, intent(in) :: w(:)
    real(dp), contiguous, intent(out) :: q(:)

    call exchange_with_partner(s%place, w, q)
  end subroutine transpose_result
end module cg_pairs
