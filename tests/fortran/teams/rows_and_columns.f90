!> Teams of the rows and of the columns of a grid: who is in them, in which order, and sums over them.
program rows_and_columns
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: row_team, column_team
  integer :: me, n, columns, row, column, rows_here, columns_here, k, x

  me = this_image(); n = num_images()
  do columns = 1, n
    row = (me - 1) / columns + 1
    column = mod(me - 1, columns) + 1
    ! The last row may be shorter.
    columns_here = min(columns, n - (row - 1) * columns)
    rows_here = (n - column) / columns + 1
    form team (row, row_team)
    form team (column, column_team)
    call require_equal(team_number(row_team), row, 'number of the row')
    call require_equal(team_number(column_team), column, 'number of the column')
    do k = 1, 3
      change team (row_team)
        call require_equal(team_number(), row, 'number in the row')
        call require_equal(num_images(), columns_here, 'images of a row')
        call require_equal(this_image(), column, 'image in a row')
        x = me
        call co_sum(x)
        call require_equal(x, sum_of(columns * (row - 1) + 1, 1, columns_here), 'sum over a row')
      end team
      call require_equal(this_image(), me, 'image between the teams')
      call require_equal(num_images(), n, 'images between the teams')
      change team (column_team)
        call require_equal(num_images(), rows_here, 'images of a column')
        call require_equal(this_image(), row, 'image in a column')
        x = me
        call co_sum(x)
        call require_equal(x, sum_of(column, columns, rows_here), 'sum over a column')
      end team
    end do
  end do

contains

  !> first + (first + step) + ..., `count` terms.
  integer function sum_of(first, step, count)
    integer, intent(in) :: first, step, count
    sum_of = count * first + step * (count * (count - 1)) / 2
  end function
end program
