!> The conjugate gradient method with MPI, in two forms: the ranks share out the columns and add whole vectors; or they are a
!> grid, whose rows are communicators that add parts of vectors.
module gradient_messages
  use gradient_matrix
  use mpi
  use pair_timing, only: dp, me
  implicit none

  integer :: row
  !> The own rows of a product.
  real(dp), allocatable :: part(:)

contains

  subroutine multiply_columns(p, q)
    real(dp), intent(in) :: p(:)
    real(dp), intent(out) :: q(:)
    real(dp), allocatable :: whole(:)
    integer :: error

    allocate (whole(order))
    call multiply(p, whole)
    call mpi_allreduce(mpi_in_place, whole, order, mpi_double_precision, mpi_sum, mpi_comm_world, error)
    q = whole(first_column(my_column):last_column(my_column))
  end subroutine multiply_columns

  subroutine total_of_all(value)
    real(dp), intent(inout) :: value
    integer :: error

    call mpi_allreduce(mpi_in_place, value, 1, mpi_double_precision, mpi_sum, mpi_comm_world, error)
  end subroutine total_of_all

  subroutine form_rows()
    integer :: error

    call mpi_comm_split(mpi_comm_world, my_row, me, row, error)
    allocate (part(order/grid_rows + 1))
  end subroutine form_rows

  subroutine multiply_in_rows(p, q)
    real(dp), intent(in) :: p(:)
    real(dp), intent(out) :: q(:)
    integer :: i, first, last, rows, mate, count, requests(2*grid_rows), error

    rows = last_row(my_row) - first_row(my_row) + 1
    call multiply(p, part)
    call mpi_allreduce(mpi_in_place, part, rows, mpi_double_precision, mpi_sum, row, error)
    count = 0
    do i = 1, grid_rows
      mate = (i - 1)*grid_columns + my_column - 1
      first = max(first_row(i), first_column(my_column))
      last = min(last_row(i), last_column(my_column))
      if (i == my_row) then
        if (first <= last) q(first - first_column(my_column) + 1:last - first_column(my_column) + 1) = &
          part(first - first_row(i) + 1:last - first_row(i) + 1)
        cycle
      end if
      if (first <= last) then
        count = count + 1
        call mpi_irecv(q(first - first_column(my_column) + 1), last - first + 1, mpi_double_precision, mate, 1, &
                       mpi_comm_world, requests(count), error)
      end if
      first = max(first_row(my_row), first_column(my_column))
      last = min(last_row(my_row), last_column(my_column))
      if (first <= last) then
        count = count + 1
        call mpi_isend(part(first - first_row(my_row) + 1), last - first + 1, mpi_double_precision, mate, 1, &
                       mpi_comm_world, requests(count), error)
      end if
    end do
    call mpi_waitall(count, requests, mpi_statuses_ignore, error)
  end subroutine multiply_in_rows

  subroutine total_of_row(value)
    real(dp), intent(inout) :: value
    integer :: error

    call mpi_allreduce(mpi_in_place, value, 1, mpi_double_precision, mpi_sum, row, error)
  end subroutine total_of_row

end module gradient_messages

program gradient_mpi
  use gradient_messages
  use pair_timing, only: end_pair, start_pair
  implicit none

  call start_pair()
  call measure_gradients(multiply_columns, total_of_all, form_rows, multiply_in_rows, total_of_row)
  call end_pair()
end program gradient_mpi
