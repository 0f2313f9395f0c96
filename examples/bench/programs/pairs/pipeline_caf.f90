!> The pipeline with coarrays: an image writes an element into the next image's memory. Then they synchronise, or, with events, the
!> image goes on without waiting for the next one.
module pipeline_coarrays
  use, intrinsic :: iso_fortran_env, only: event_type
  use pair_timing, only: dp, images, me
  use pipeline_grid, only: columns, compute_column, first, first_values, last
  implicit none

  !> The own rows, and the row above them, which the image before this one writes.
  real(dp), allocatable, target :: grid(:, :)
  real(dp) :: above(columns)[*]
  !> The corner of the grid, which starts the next sweep.
  real(dp) :: top[*]
  type(event_type) :: passed_on[*]

contains

  subroutine start()
    if (.not. allocated(grid)) allocate (grid(first:last, columns))
    call first_values(grid, above, top)
    sync all
  end subroutine start

  subroutine sweep(n)
    integer, intent(in) :: n
    integer :: i, j

    do i = 1, n
      do j = 2, columns
        if (me > 1) sync images (me - 1)
        call compute_column(above(j), above(j - 1), grid(:, j - 1), grid(:, j))
        if (me < images) then
          above(j)[me + 1] = grid(last, j)
          sync images (me + 1)
        end if
      end do
      ! The corner of the grid depends on its end.
      if (me == images) then
        top[1] = -grid(last, columns)
        sync images (1)
      end if
      if (me == 1) then
        sync images (images)
        above(1) = top
      end if
    end do
  end subroutine sweep

  subroutine sweep_with_events(n)
    integer, intent(in) :: n
    integer :: i, j

    do i = 1, n
      do j = 2, columns
        if (me > 1) event wait (passed_on)
        call compute_column(above(j), above(j - 1), grid(:, j - 1), grid(:, j))
        if (me < images) then
          above(j)[me + 1] = grid(last, j)
          event post (passed_on[me + 1])
        end if
      end do
      if (me == images) then
        top[1] = -grid(last, columns)
        event post (passed_on[1])
      end if
      if (me == 1) then
        event wait (passed_on)
        above(1) = top
      end if
    end do
  end subroutine sweep_with_events

  double precision function corner()
    corner = merge(-top, 0.0_dp, me == 1)
  end function corner

end module pipeline_coarrays

program pipeline_caf
  use pair_timing, only: end_pair, start_pair
  use pipeline_coarrays, only: corner, start, sweep, sweep_with_events
  use pipeline_grid, only: measure_pipeline
  implicit none

  call start_pair()
  call measure_pipeline('pipeline', sweep, start, corner)
  call measure_pipeline('pipeline_events', sweep_with_events, start, corner)
  call end_pair()
end program pipeline_caf
