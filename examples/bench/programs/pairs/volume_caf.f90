!> The solver of volume_mesh.f90 with coarrays: each exchange allocates a coarray, through which the neighbours reach the
!> array of the solver, and frees it.
module volume_coarrays
  use pair_timing, only: computed, dp, images, now
  use volume_mesh, only: compute, give, own, places, u
  implicit none

  type :: box
    real(dp), pointer :: data(:) => null()
  end type box

contains

  subroutine exchange()
    type(box), allocatable :: theirs[:]
    real(dp), allocatable :: values(:)
    integer :: other

    allocate (theirs[*])
    theirs%data => u(own + 1:)
    sync all
    do other = 1, images
      if (size(give(other)%cells) == 0) cycle
      values = u(give(other)%cells)
      theirs[other]%data(places(other) + 1:places(other) + size(values)) = values
    end do
    sync all
    deallocate (theirs)
  end subroutine exchange

  subroutine do_steps(n)
    integer, intent(in) :: n
    integer(8) :: started
    integer :: i

    do i = 1, n
      call exchange()
      started = now()
      call compute()
      call computed(started, now())
    end do
  end subroutine do_steps

end module volume_coarrays

program volume_caf
  use pair_timing, only: end_pair, start_pair
  use volume_coarrays, only: do_steps
  use volume_mesh, only: measure_solver
  implicit none

  call start_pair()
  call measure_solver(do_steps)
  call end_pair()
end program volume_caf
