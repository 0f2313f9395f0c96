!> Himeno with MPI: planes by MPI_Sendrecv or, with `overlap`, by messages that travel while the inner planes are swept. See
!> himeno_rows.f90.
module himeno_data
  implicit none
  integer, parameter :: nx = 128, ny = 64, most = 31
  real(4) :: field(nx, ny, 0:most + 1, 2)
  real(4) :: a(nx, ny, most, 4), b(nx, ny, most, 3), c(nx, ny, most, 3)
  real(4) :: source(nx, ny, most), bound(nx, ny, most)
  integer :: me, images
end module himeno_data

program mpi_himeno
  use mpi
  use himeno_data
  implicit none
  integer :: status

  call mpi_init(status)
  call mpi_comm_rank(mpi_comm_world, me, status)
  call mpi_comm_size(mpi_comm_world, images, status)
  me = me + 1
  call himeno_rows(me, images)
  call mpi_finalize(status)
end program mpi_himeno

!> The value of image 1 for all.
subroutine himeno_share(n)
  use mpi
  implicit none
  integer, intent(inout) :: n
  integer :: status

  call mpi_bcast(n, 1, mpi_integer, 0, mpi_comm_world, status)
end subroutine himeno_share

!> `n` sweeps from the start; gosa is that of the last one.
subroutine himeno_sweeps(overlap, n, gosa)
  use mpi
  use himeno_data
  implicit none
  integer, intent(in) :: overlap, n
  real(8), intent(out) :: gosa
  integer :: first, last, planes, sweep, old, new, status, requests(4), below, above
  real(8) :: mine

  call himeno_part(me, images, first, last)
  planes = last - first + 1
  below = merge(me - 2, mpi_proc_null, me > 1)
  above = merge(me, mpi_proc_null, me < images)
  call himeno_start(first, planes, field, a, b, c, source, bound)
  call mpi_barrier(mpi_comm_world, status)
  old = 1
  do sweep = 1, n
    mine = 0
    new = 3 - old
    if (overlap == 0) then
      call himeno_planes(1, planes, old, field, a, b, c, source, bound, mine)
      call mpi_sendrecv(field(1, 1, 1, new), nx*ny, mpi_real, below, 1, &
                        field(1, 1, planes + 1, new), nx*ny, mpi_real, above, 1, &
                        mpi_comm_world, mpi_status_ignore, status)
      call mpi_sendrecv(field(1, 1, planes, new), nx*ny, mpi_real, above, 2, &
                        field(1, 1, 0, new), nx*ny, mpi_real, below, 2, &
                        mpi_comm_world, mpi_status_ignore, status)
    else
      call mpi_irecv(field(1, 1, planes + 1, new), nx*ny, mpi_real, above, 1, mpi_comm_world, requests(1), status)
      call mpi_irecv(field(1, 1, 0, new), nx*ny, mpi_real, below, 2, mpi_comm_world, requests(2), status)
      call himeno_planes(1, 1, old, field, a, b, c, source, bound, mine)
      if (planes > 1) call himeno_planes(planes, planes, old, field, a, b, c, source, bound, mine)
      call mpi_isend(field(1, 1, 1, new), nx*ny, mpi_real, below, 1, mpi_comm_world, requests(3), status)
      call mpi_isend(field(1, 1, planes, new), nx*ny, mpi_real, above, 2, mpi_comm_world, requests(4), status)
      call himeno_planes(2, planes - 1, old, field, a, b, c, source, bound, mine)
      call mpi_waitall(4, requests, mpi_statuses_ignore, status)
    end if
    old = new
    call mpi_allreduce(mine, gosa, 1, mpi_double_precision, mpi_sum, mpi_comm_world, status)
  end do
end subroutine himeno_sweeps
