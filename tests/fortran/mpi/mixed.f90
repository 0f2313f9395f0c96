! MPI beside coarrays: MPI_INIT comes after the program has become an image, and MPI_FINALIZE before it ends.
program mixed
  use checks
  use mpi
  implicit none
  integer :: value[*], total, rank, error, level
  character(16) :: how

  call get_command_argument(1, how)
  if (how == 'thread') then
    call mpi_init_thread(MPI_THREAD_SERIALIZED, level, error)
    call require(level >= MPI_THREAD_SERIALIZED, 'level of threads')
  else
    call mpi_init(error)
  end if
  call require(error == MPI_SUCCESS, 'mpi_init')
  call mpi_comm_rank(MPI_COMM_WORLD, rank, error)
  call require(rank + 1 == this_image(), 'rank')
  value = this_image()
  sync all
  if (this_image() > 1) value = value[this_image() - 1] + 1
  call mpi_allreduce(value, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call co_sum(value)
  call require(value == total, 'sums')
  call mpi_finalize(error)
  call require(error == MPI_SUCCESS, 'mpi_finalize')
  total = 1
  call co_sum(total)
  call require(total == num_images(), 'sum after mpi_finalize')
end program mixed
