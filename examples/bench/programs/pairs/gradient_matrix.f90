!> The conjugate gradient method for a sparse matrix that is symmetric and positive definite. Both forms share the matrix
!> and the parts of the method that need no communication.
!>
!> The images make a grid of `grid_rows` by `grid_columns`, which share out the rows and the columns of the matrix.
module gradient_matrix
  use pair_timing, only: dp, images, me, measure, selected, tell_check, tell_wrong
  implicit none
  private
  public :: measure_gradients, multiply, first_row, last_row, first_column, last_column

  !> Order of the matrix, and elements of a row besides the diagonal, which lie at these distances on both sides.
  integer, parameter, public :: order = 4096
  integer, parameter :: distances(6) = [1, 2, 61, 64, 517, 1031]
  !> Iterations of a solution, which is a step of the measurement.
  integer, parameter :: iterations = 25
  !> After these the residual must be so small.
  real(dp), parameter :: least_residual = 1.0e-6_dp

  integer, public, protected :: grid_rows, grid_columns, my_row, my_column
  !> The elements in the own rows and columns, row by row.
  integer, allocatable :: starts(:), columns(:)
  real(dp), allocatable :: values(:)

  abstract interface
    subroutine whole_product(p, q)
      double precision, intent(in) :: p(:)
      double precision, intent(out) :: q(:)
    end subroutine whole_product
    subroutine row_total(value)
      double precision, intent(inout) :: value
    end subroutine row_total
    subroutine preparation()
    end subroutine preparation
  end interface

  procedure(whole_product), pointer :: product
  procedure(row_total), pointer :: total
  !> What the last solution has left, and the sum of the own part of it.
  real(dp) :: residual, result

contains

  !> Times the two forms of the method that were asked for: the images share out the columns, with sums of whole vectors; or they are
  !> a grid, in which `form_rows` makes groups of the rows of images.
  subroutine measure_gradients(multiply_columns, total_of_all, form_rows, multiply_in_rows, total_of_row)
    procedure(whole_product) :: multiply_columns, multiply_in_rows
    procedure(row_total) :: total_of_all, total_of_row
    procedure(preparation) :: form_rows

    if (selected('cg_columns', order)) then
      call make_matrix(1)
      call measure_gradient('cg_columns', multiply_columns, total_of_all)
    end if
    if (selected('cg_teams', order)) then
      call make_matrix(square_grid())
      call form_rows()
      call measure_gradient('cg_teams', multiply_in_rows, total_of_row)
    end if
  end subroutine measure_gradients

  !> Makes the own part of the matrix in a grid of so many rows of images.
  subroutine make_matrix(rows_of_images)
    integer, intent(in) :: rows_of_images
    integer :: i, j, k

    grid_rows = rows_of_images
    grid_columns = images/grid_rows
    my_row = (me - 1)/grid_columns + 1
    my_column = modulo(me - 1, grid_columns) + 1
    starts = [1]
    columns = [integer ::]
    values = [real(dp) ::]
    do i = first_row(my_row), last_row(my_row)
      do k = -size(distances), size(distances)
        j = i
        if (k /= 0) j = i + sign(distances(abs(k)), k)
        if (j < first_column(my_column) .or. j > last_column(my_column)) cycle
        columns = [columns, j]
        values = [values, merge(2.0_dp*size(distances) + 2.0_dp, -1.0_dp, k == 0)]
      end do
      starts = [starts, size(columns) + 1]
    end do
  end subroutine make_matrix

  !> The rows of a grid of images that is as square as it can be.
  integer function square_grid()
    integer :: rows

    do rows = 1, images
      if (modulo(images, rows) == 0 .and. rows*rows <= images) square_grid = rows
    end do
  end function square_grid

  pure integer function first_row(row)
    integer, intent(in) :: row

    first_row = order*(row - 1)/grid_rows + 1
  end function first_row

  pure integer function last_row(row)
    integer, intent(in) :: row

    last_row = order*row/grid_rows
  end function last_row

  pure integer function first_column(column)
    integer, intent(in) :: column

    first_column = order*(column - 1)/grid_columns + 1
  end function first_column

  pure integer function last_column(column)
    integer, intent(in) :: column

    last_column = order*column/grid_columns
  end function last_column

  !> The product of the own part of the matrix with p, which has the own columns: a summand of the own rows of the result.
  subroutine multiply(p, q)
    real(dp), intent(in) :: p(first_column(my_column):last_column(my_column))
    real(dp), intent(out) :: q(first_row(my_row):last_row(my_row))
    integer :: i, k
    real(dp) :: sum

    do i = first_row(my_row), last_row(my_row)
      sum = 0
      do k = starts(i - first_row(my_row) + 1), starts(i - first_row(my_row) + 2) - 1
        sum = sum + values(k)*p(columns(k))
      end do
      q(i) = sum
    end do
  end subroutine multiply

  !> Times solutions with `multiply_all`, which multiplies the matrix with a vector, and `total_of_row`, which adds the values of a row of
  !> images. A vector is shared out as the columns of the matrix are.
  subroutine measure_gradient(name, multiply_all, total_of_row)
    character(len=*), intent(in) :: name
    procedure(whole_product) :: multiply_all
    procedure(row_total) :: total_of_row

    product => multiply_all
    total => total_of_row
    call measure(name, order, solve_often)
    call solve()
    if (.not. residual <= least_residual) call tell_wrong(name, order)
    call tell_check(name, order, result/grid_rows)
  end subroutine measure_gradient

  subroutine solve_often(n)
    integer, intent(in) :: n
    integer :: i

    do i = 1, n
      call solve()
    end do
  end subroutine solve_often

  !> Some iterations from zero, with ones on the right side.
  subroutine solve()
    real(dp), allocatable :: x(:), r(:), p(:), q(:)
    real(dp) :: rho, before, alpha
    integer :: i, first, last

    first = first_column(my_column)
    last = last_column(my_column)
    allocate (x(first:last), r(first:last), p(first:last), q(first:last))
    x = 0
    r = 1
    p = r
    rho = sum_of_products(r, r)
    do i = 1, iterations
      call product(p, q)
      alpha = rho/sum_of_products(p, q)
      x = x + alpha*p
      r = r - alpha*q
      before = rho
      rho = sum_of_products(r, r)
      p = r + rho/before*p
    end do
    residual = sqrt(rho)
    result = sum(x)
  end subroutine solve

  real(dp) function sum_of_products(a, b)
    real(dp), intent(in) :: a(:), b(:)

    sum_of_products = dot_product(a, b)
    call total(sum_of_products)
  end function sum_of_products

end module gradient_matrix
