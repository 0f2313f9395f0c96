! The sums over a grid row by CO_SUM in a team of the row's images, which is
! formed once. Two forms: each step of the power iteration is one visit of the
! row team, or each sum is.
module cg_teams
  use, intrinsic :: iso_fortran_env, only: team_type
  use cg_problem, only: dp, problem
  use cg_grid, only: make_grid
  use cg_exchange, only: prepare_exchange, exchange_with_partner, transposed_in, half
  use cg_solver, only: solver, power_step
  implicit none (type, external)
  private
  public :: row_solver, visit_solver, all_images

  ! A whole step in the row team. The transposed image is outside of it: what is
  ! put there is coindexed in the team of all images, `all_images`, in which this
  ! solver has to be prepared and used. (It would be the initial team, but for
  ! gfortran before 16, which has no GET_TEAM to name that by.)
  type, extends(solver) :: row_solver
  contains
    procedure :: prepare => prepare_row
    procedure :: step => step_in_row
    procedure :: sum_scalars => sum_scalars_here
    procedure :: sum_vector => sum_vector_here
    procedure :: transpose_result => exchange_with_outside
  end type row_solver

  ! The row team is entered for each sum and left after it.
  type, extends(solver) :: visit_solver
  contains
    procedure :: prepare => prepare_visit
    procedure :: sum_scalars => visit_for_scalars
    procedure :: sum_vector => visit_for_vector
    procedure :: transpose_result => exchange
  end type visit_solver

  type(team_type) :: all_images, row
  ! Where w is: what is summed in a coarray needs no copies on the way.
  real(dp), allocatable, target :: summed(:)[:]

contains

  subroutine prepare_row(s, prob)
    class(row_solver), intent(inout) :: s
    type(problem), intent(in) :: prob

    s%form = 'steps in row teams'
    call set_up(s, prob)
  end subroutine prepare_row

  subroutine prepare_visit(s, prob)
    class(visit_solver), intent(inout) :: s
    type(problem), intent(in) :: prob

    s%form = 'sums in row teams'
    call set_up(s, prob)
  end subroutine prepare_visit

  subroutine set_up(s, prob)
    class(solver), intent(inout) :: s
    type(problem), intent(in) :: prob

    s%place = make_grid(prob%n)
    call prepare_exchange(s%place)
    allocate (summed(s%place%longest_rows)[*])
    s%w => summed(1:s%place%last_row - s%place%first_row + 1)
    form team (s%place%row + 1, row)
  end subroutine set_up

  subroutine step_in_row(s, shift, x, z, zeta, residual)
    class(row_solver), intent(inout) :: s
    real(dp), intent(in) :: shift
    real(dp), contiguous, intent(inout) :: x(:)
    real(dp), contiguous, intent(out) :: z(:)
    real(dp), intent(out) :: zeta, residual

    change team (row)
      call power_step(s, shift, x, z, zeta, residual)
    end team
  end subroutine step_in_row

  subroutine sum_vector_here(s, v)
    class(row_solver), intent(inout) :: s
    real(dp), contiguous, intent(inout) :: v(:)

    call co_sum(v)
  end subroutine sum_vector_here

  subroutine sum_scalars_here(s, a, b)
    class(row_solver), intent(inout) :: s
    real(dp), intent(inout) :: a
    real(dp), intent(inout), optional :: b

    call sum_one_or_two(a, b)
  end subroutine sum_scalars_here

  subroutine sum_one_or_two(a, b)
    real(dp), intent(inout) :: a
    real(dp), intent(inout), optional :: b
    real(dp) :: both(2)

    if (present(b)) then
      both = [a, b]
      call co_sum(both)
      a = both(1)
      b = both(2)
    else
      call co_sum(a)
    end if
  end subroutine sum_one_or_two

  ! As exchange_with_partner, with a sync of all images: this image has no pair of
  ! its own with an image that its current team does not have.
  subroutine exchange_with_outside(s, w, q)
    class(row_solver), intent(inout) :: s
    real(dp), contiguous, intent(in) :: w(:)
    real(dp), contiguous, intent(out) :: q(:)

    associate (at => s%place)
      call put_outside(transposed_in, at%transposed_image, w(at%send_first:at%send_last))
    end associate
    sync team (all_images)
    q = transposed_in(1:size(q), half)
    half = 3 - half
  end subroutine exchange_with_outside

  subroutine put_outside(buffer, image, values)
    real(dp), intent(inout) :: buffer(:, :)[*]
    integer, intent(in) :: image
    real(dp), contiguous, intent(in) :: values(:)
    integer :: n

    n = size(values)
    buffer(1:n, half)[image, team=all_images] = values
  end subroutine put_outside

  subroutine visit_for_vector(s, v)
    class(visit_solver), intent(inout) :: s
    real(dp), contiguous, intent(inout) :: v(:)

    change team (row)
      call co_sum(v)
    end team
  end subroutine visit_for_vector

  subroutine visit_for_scalars(s, a, b)
    class(visit_solver), intent(inout) :: s
    real(dp), intent(inout) :: a
    real(dp), intent(inout), optional :: b

    change team (row)
      call sum_one_or_two(a, b)
    end team
  end subroutine visit_for_scalars

  subroutine exchange(s, w, q)
    class(visit_solver), intent(inout) :: s
    real(dp), contiguous, intent(in) :: w(:)
    real(dp), contiguous, intent(out) :: q(:)

    call exchange_with_partner(s%place, w, q)
  end subroutine exchange
end module cg_teams
