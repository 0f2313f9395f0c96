!> The first operations of a job with MPI.
module cold_messages
  use cold_sizes, only: operand
  use mpi
  use pair_timing, only: images
  implicit none

contains

  subroutine sum_all(n)
    integer, intent(in) :: n
    integer :: error

    call mpi_allreduce(mpi_in_place, operand, n, mpi_double_precision, mpi_sum, mpi_comm_world, error)
  end subroutine sum_all

  subroutine broadcast(n)
    integer, intent(in) :: n
    integer :: error

    call mpi_bcast(operand, n, mpi_double_precision, images - 1, mpi_comm_world, error)
  end subroutine broadcast

end module cold_messages

program cold_mpi
  use cold_messages, only: broadcast, sum_all
  use cold_sizes, only: measure_first
  use pair_timing, only: end_pair, start_pair
  implicit none

  call start_pair()
  call measure_first('co_sum', sum_all, .true.)
  call measure_first('co_broadcast', broadcast, .false.)
  call end_pair()
end program cold_mpi
