!> What pair_timing.f90 communicates by, with MPI.
subroutine pair_start(me, images)
  use mpi
  implicit none
  integer, intent(out) :: me, images
  integer :: error

  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, me, error)
  call mpi_comm_size(mpi_comm_world, images, error)
  me = me + 1
end subroutine pair_start

subroutine pair_barrier()
  use mpi
  implicit none
  integer :: error

  call mpi_barrier(mpi_comm_world, error)
end subroutine pair_barrier

subroutine pair_share(n)
  use mpi
  implicit none
  integer, intent(inout) :: n
  integer :: error

  call mpi_bcast(n, 1, mpi_integer, 0, mpi_comm_world, error)
end subroutine pair_share

subroutine pair_total(value)
  use mpi
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  real(real64), intent(inout) :: value
  integer :: error

  call mpi_allreduce(mpi_in_place, value, 1, mpi_double_precision, mpi_sum, mpi_comm_world, error)
end subroutine pair_total

subroutine pair_end()
  use mpi
  implicit none
  integer :: error

  call mpi_finalize(error)
end subroutine pair_end
