! MPI and coarrays in one program. Rank r of MPI is image r + 1.
program both
  use mpi
  implicit none
  integer :: mine[*], from_mpi, error

  call MPI_Init(error)
  mine = this_image()
  sync all
  call MPI_Allreduce(mine, from_mpi, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (this_image() == num_images()) print '(a,i0,a,i0)', 'sum by MPI: ', from_mpi, ', image 1 has ', mine[1]
  call MPI_Finalize(error)
end program both
