!> The particles with coarrays: an image writes those that leave into its neighbour's memory and posts an event.
module particles_coarrays
  use, intrinsic :: iso_fortran_env, only: event_type
  use particles_domain
  implicit none

  integer, parameter :: from_left = 1, from_right = 2
  !> Where particles come from each side. Two sets take turns: a neighbour fills one only after the events of the next step,
  !> which this image posts when it has emptied the one before.
  type(particle) :: inbox(most_migrants, 2, 2)[*]
  integer :: counts(2, 2)[*]
  type(event_type) :: arrived(2)[*]
  integer :: set = 1

contains

  subroutine do_steps(n)
    integer, intent(in) :: n
    type(particle) :: out_left(most_migrants), out_right(most_migrants)
    integer :: i, to_left, to_right

    do i = 1, n
      call move(out_left, to_left, out_right, to_right)
      inbox(:to_left, from_right, set)[left] = out_left(:to_left)
      counts(from_right, set)[left] = to_left
      event post (arrived(from_right)[left])
      inbox(:to_right, from_left, set)[right] = out_right(:to_right)
      counts(from_left, set)[right] = to_right
      event post (arrived(from_left)[right])
      event wait (arrived(from_left))
      call absorb(inbox(:counts(from_left, set), from_left, set))
      event wait (arrived(from_right))
      call absorb(inbox(:counts(from_right, set), from_right, set))
      set = 3 - set
    end do
  end subroutine do_steps

end module particles_coarrays

program particles_caf
  use pair_timing, only: end_pair, start_pair
  use particles_coarrays, only: do_steps
  use particles_domain, only: measure_particles
  implicit none

  call start_pair()
  call measure_particles(do_steps)
  call end_pair()
end program particles_caf
