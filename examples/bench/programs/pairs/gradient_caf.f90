!> The conjugate gradient method with coarrays, in two forms: the images share out the columns and add whole vectors by
!> `co_sum`; or they are a grid, whose rows are teams that add parts of vectors.
module gradient_coarrays
  use, intrinsic :: iso_fortran_env, only: team_type
  use gradient_matrix
  use pair_timing, only: dp
  implicit none

  type(team_type) :: row
  !> The own rows of a product.
  real(dp), allocatable :: part(:)[:]
  !> The images of the own column of the grid.
  integer, allocatable :: column_mates(:)

contains

  subroutine multiply_columns(p, q)
    real(dp), intent(in) :: p(:)
    real(dp), intent(out) :: q(:)
    real(dp), allocatable :: whole(:)

    allocate (whole(order))
    call multiply(p, whole)
    call co_sum(whole)
    q = whole(first_column(my_column):last_column(my_column))
  end subroutine multiply_columns

  subroutine total_of_all(value)
    real(dp), intent(inout) :: value

    call co_sum(value)
  end subroutine total_of_all

  subroutine form_rows()
    integer :: i

    form team (my_row, row)
    column_mates = [((i - 1)*grid_columns + my_column, i=1, grid_rows)]
    allocate (part(order/grid_rows + 1)[*])
  end subroutine form_rows

  subroutine multiply_in_rows(p, q)
    real(dp), intent(in) :: p(:)
    real(dp), intent(out) :: q(:)
    integer :: i, first, last, rows

    rows = last_row(my_row) - first_row(my_row) + 1
    call multiply(p, part)
    change team (row)
      call co_sum(part(:rows))
    end team
    sync images (column_mates)
    do i = 1, grid_rows
      first = max(first_row(i), first_column(my_column))
      last = min(last_row(i), last_column(my_column))
      if (first > last) cycle
      q(first - first_column(my_column) + 1:last - first_column(my_column) + 1) = &
        part(first - first_row(i) + 1:last - first_row(i) + 1)[column_mates(i)]
    end do
    sync images (column_mates)
  end subroutine multiply_in_rows

  subroutine total_of_row(value)
    real(dp), intent(inout) :: value

    change team (row)
      call co_sum(value)
    end team
  end subroutine total_of_row

end module gradient_coarrays

program gradient_caf
  use gradient_coarrays
  use pair_timing, only: end_pair, start_pair
  implicit none

  call start_pair()
  call measure_gradients(multiply_columns, total_of_all, form_rows, multiply_in_rows, total_of_row)
  call end_pair()
end program gradient_caf
