! The mean of a rod's temperature after some steps, with messages of MPI.
program rod
  use mpi
  implicit none
  integer, parameter :: n = 1000, steps = 200
  real(8), allocatable :: u(:), new(:)
  real(8) :: mine, mean
  integer :: rank, processes, left, right, i, step, error, first, last, cells

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, error)
  left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  right = merge(rank + 1, MPI_PROC_NULL, rank < processes - 1)
  first = rank * n / processes + 1
  last = (rank + 1) * n / processes
  cells = last - first + 1
  allocate (u(0:cells + 1), new(cells))
  u = 0
  u(1:cells) = [(merge(1d0, 0d0, i <= n / 2), i=first, last)]

  do step = 1, steps
    call MPI_Sendrecv(u(1), 1, MPI_DOUBLE_PRECISION, left, 0, u(cells + 1), 1, &
                      MPI_DOUBLE_PRECISION, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call MPI_Sendrecv(u(cells), 1, MPI_DOUBLE_PRECISION, right, 0, u(0), 1, &
                      MPI_DOUBLE_PRECISION, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    new = u(1:cells) + 0.25d0 * (u(0:cells - 1) - 2 * u(1:cells) + u(2:cells + 1))
    u(1:cells) = new
  end do

  mine = sum(u(1:cells)) / n
  call MPI_Reduce(mine, mean, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, error)
  if (rank == 0) print '(a,f8.6)', 'mean temperature: ', mean
  call MPI_Finalize(error)
end program rod
