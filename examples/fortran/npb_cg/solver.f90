! Conjugate gradients, and the power iteration around them. How the images of a
! grid row add up, and how transposed images exchange, is left to extensions.
module cg_solver
  use cg_problem, only: dp, problem
  use cg_matrix, only: sparse_block, build_block, multiply
  use cg_grid, only: grid
  implicit none (type, external)
  private
  public :: solver, power_step

  integer, parameter :: cg_steps = 25

  type, abstract :: solver
    character(len=:), allocatable :: form     ! what the extension is called
    type(grid) :: place
    type(sparse_block) :: matrix
    real(dp), allocatable :: p(:), q(:), r(:) ! cut along the columns
    real(dp), pointer, contiguous :: w(:) => null() ! cut along the rows
  contains
    procedure(preparation), deferred :: prepare
    procedure :: build
    procedure :: step => power_step
    procedure(sum_of_scalars), deferred :: sum_scalars
    procedure(sum_of_vectors), deferred :: sum_vector
    procedure(exchange), deferred :: transpose_result
    generic :: sum_over_row => sum_scalars, sum_vector
    procedure, private :: solve, product
  end type solver

  abstract interface
    ! Makes the grid, of the current team, and what the exchanges need. May give
    ! `w` a place.
    subroutine preparation(s, prob)
      import :: solver, problem
      class(solver), intent(inout) :: s
      type(problem), intent(in) :: prob
    end subroutine preparation

    ! Sums one or two numbers over the grid row; all get the same bits.
    subroutine sum_of_scalars(s, a, b)
      import :: solver, dp
      class(solver), intent(inout) :: s
      real(dp), intent(inout) :: a
      real(dp), intent(inout), optional :: b
    end subroutine sum_of_scalars

    ! The same for vectors that are cut along the rows.
    subroutine sum_of_vectors(s, v)
      import :: solver, dp
      class(solver), intent(inout) :: s
      real(dp), contiguous, intent(inout) :: v(:)
    end subroutine sum_of_vectors

    ! From w, cut along the grid rows, to q, cut along the grid columns.
    subroutine exchange(s, w, q)
      import :: solver, dp
      class(solver), intent(inout) :: s
      real(dp), contiguous, intent(in) :: w(:)
      real(dp), contiguous, intent(out) :: q(:)
    end subroutine exchange
  end interface

contains

  ! Makes this image's block of the matrix, and room for the vectors.
  subroutine build(s, prob)
    class(solver), intent(inout) :: s
    type(problem), intent(in) :: prob
    integer :: rows, cols

    associate (at => s%place)
      call build_block(prob, at%first_row, at%last_row, at%first_col, at%last_col, s%matrix)
      rows = at%last_row - at%first_row + 1
      cols = at%last_col - at%first_col + 1
    end associate
    allocate (s%p(cols), s%q(cols), s%r(cols))
    if (.not. associated(s%w)) allocate (s%w(rows))
  end subroutine build

  ! Eight partial sums: what the vector unit can add at the same time.
  pure real(dp) function dot(x, y)
    real(dp), contiguous, intent(in) :: x(:), y(:)
    real(dp) :: s(8)
    integer :: i, last

    s = 0.0_dp
    last = size(x) - mod(size(x), 8)
    do i = 1, last, 8
      s = s + x(i:i + 7) * y(i:i + 7)
    end do
    do i = last + 1, size(x)
      s(1) = s(1) + x(i) * y(i)
    end do
    dot = sum(s)
  end function dot

  ! q = A p
  subroutine product(s, p)
    class(solver), intent(inout) :: s
    real(dp), contiguous, intent(in) :: p(:)

    call multiply(s%matrix, p, s%w)
    call s%sum_over_row(s%w)
    call s%transpose_result(s%w, s%q)
  end subroutine product

  ! z ~ A**-1 x; residual is the norm of x - A z.
  subroutine solve(s, x, z, residual)
    class(solver), intent(inout) :: s
    real(dp), contiguous, intent(in) :: x(:)
    real(dp), contiguous, intent(out) :: z(:)
    real(dp), intent(out) :: residual
    real(dp) :: rho, rho_before, alpha, curvature
    integer :: step

    z = 0.0_dp
    s%r = x
    s%p = x
    rho = dot(s%r, s%r)
    call s%sum_over_row(rho)
    do step = 1, cg_steps
      call s%product(s%p)
      curvature = dot(s%p, s%q)
      call s%sum_over_row(curvature)
      alpha = rho / curvature
      z = z + alpha * s%p
      s%r = s%r - alpha * s%q
      rho_before = rho
      rho = dot(s%r, s%r)
      call s%sum_over_row(rho)
      s%p = s%r + (rho / rho_before) * s%p
    end do
    call s%product(z)
    s%r = x - s%q
    residual = dot(s%r, s%r)
    call s%sum_over_row(residual)
    residual = sqrt(residual)
  end subroutine solve

  ! One step of the inverse power iteration: x becomes z / |z|.
  subroutine power_step(s, shift, x, z, zeta, residual)
    class(solver), intent(inout) :: s
    real(dp), intent(in) :: shift
    real(dp), contiguous, intent(inout) :: x(:)
    real(dp), contiguous, intent(out) :: z(:)
    real(dp), intent(out) :: zeta, residual
    real(dp) :: xz, zz

    call s%solve(x, z, residual)
    xz = dot(x, z)
    zz = dot(z, z)
    call s%sum_over_row(xz, zz)
    zeta = shift + 1.0_dp / xz
    x = (1.0_dp / sqrt(zz)) * z
  end subroutine power_step
end module cg_solver
