!> The sweeps with MPI: the outer planes are sent to the neighbours, which have posted receives.
module himeno_messages
  use himeno_air
  use mpi
  use pair_timing, only: images, me
  implicit none

  real, asynchronous :: field(nx, ny, 0:most + 1, 2)

contains

  subroutine start()
    call himeno_part(me, images, first, last)
    planes = last - first + 1
    call himeno_start(first, planes, field, a, b, c, source, bound)
    old = 1
  end subroutine start

  subroutine sweeps(n)
    integer, intent(in) :: n
    integer :: i, new, below, above, requests(4), error

    below = merge(me - 2, mpi_proc_null, me > 1)
    above = merge(me, mpi_proc_null, me < images)
    do i = 1, n
      new = 3 - old
      correction = 0
      call mpi_irecv(field(1, 1, 0, new), nx*ny, mpi_real, below, 1, mpi_comm_world, requests(1), error)
      call mpi_irecv(field(1, 1, planes + 1, new), nx*ny, mpi_real, above, 2, mpi_comm_world, requests(2), error)
      call himeno_planes(1, planes, old, field, a, b, c, source, bound, correction)
      call mpi_isend(field(1, 1, 1, new), nx*ny, mpi_real, below, 2, mpi_comm_world, requests(3), error)
      call mpi_isend(field(1, 1, planes, new), nx*ny, mpi_real, above, 1, mpi_comm_world, requests(4), error)
      call mpi_waitall(4, requests, mpi_statuses_ignore, error)
      old = new
      call mpi_allreduce(mpi_in_place, correction, 1, mpi_double_precision, mpi_sum, mpi_comm_world, error)
    end do
  end subroutine sweeps

end module himeno_messages

program himeno_mpi
  use himeno_air, only: measure_sweeps
  use himeno_messages, only: start, sweeps
  use pair_timing, only: end_pair, start_pair
  implicit none

  call start_pair()
  call measure_sweeps(sweeps, start)
  call end_pair()
end program himeno_mpi
