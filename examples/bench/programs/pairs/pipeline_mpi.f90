!> The pipeline with MPI: a message for each element that a rank passes on. It is the one form for the two rows of coarrays.
module pipeline_messages
  use mpi
  use pair_timing, only: dp, images, me
  use pipeline_grid, only: columns, compute_column, first, first_values, last
  implicit none

  !> The own rows, and the row above them, which comes from the rank before this one.
  real(dp), allocatable :: grid(:, :)
  real(dp) :: above(columns)
  !> The corner of the grid, which starts the next sweep.
  real(dp) :: top

contains

  subroutine start()
    if (.not. allocated(grid)) allocate (grid(first:last, columns))
    call first_values(grid, above, top)
  end subroutine start

  subroutine sweep(n)
    integer, intent(in) :: n
    integer :: i, j, error

    do i = 1, n
      do j = 2, columns
        if (me > 1) call mpi_recv(above(j), 1, mpi_double_precision, me - 2, 1, mpi_comm_world, mpi_status_ignore, error)
        call compute_column(above(j), above(j - 1), grid(:, j - 1), grid(:, j))
        if (me < images) call mpi_send(grid(last, j), 1, mpi_double_precision, me, 1, mpi_comm_world, error)
      end do
      ! The corner of the grid depends on its end.
      if (me == images) call mpi_send(-grid(last, columns), 1, mpi_double_precision, 0, 2, mpi_comm_world, error)
      if (me == 1) then
        call mpi_recv(top, 1, mpi_double_precision, images - 1, 2, mpi_comm_world, mpi_status_ignore, error)
        above(1) = top
      end if
    end do
  end subroutine sweep

  double precision function corner()
    corner = merge(-top, 0.0_dp, me == 1)
  end function corner

end module pipeline_messages

program pipeline_mpi
  use pair_timing, only: end_pair, start_pair
  use pipeline_grid, only: measure_pipeline
  use pipeline_messages, only: corner, start, sweep
  implicit none

  call start_pair()
  call measure_pipeline('pipeline', sweep, start, corner)
  call measure_pipeline('pipeline_events', sweep, start, corner)
  call end_pair()
end program pipeline_mpi
