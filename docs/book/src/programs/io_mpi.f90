! All images write one file by MPI-IO, with one collective call.
program io_mpi
  use mpi
  implicit none
  integer, parameter :: n = 1000
  real(8), allocatable :: part(:)[:]
  integer(MPI_OFFSET_KIND) :: place
  integer :: file, error, bytes

  call MPI_Init(error)
  allocate (part(n)[*])
  part = this_image()
  place = int(this_image() - 1, MPI_OFFSET_KIND) * n * 8
  call MPI_File_open(MPI_COMM_WORLD, 'mpi.bin', MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, file, error)
  if (error /= MPI_SUCCESS) error stop 'io_mpi: the file cannot be opened'
  call MPI_File_write_at_all(file, place, part, n, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, error)
  call MPI_File_close(file, error)
  if (this_image() == 1) then
    inquire (file='mpi.bin', size=bytes)
    print '(a,i0,a)', 'wrote ', bytes, ' bytes'
  end if
  call MPI_Finalize(error)
end program io_mpi
