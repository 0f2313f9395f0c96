!> The particles with MPI: a message to each side, whose length says how many there are.
module particles_messages
  use mpi
  use particles_domain
  implicit none

  integer, parameter :: from_left = 1, from_right = 2
  integer, parameter :: particle_bytes = storage_size(particle(0.0d0, 0.0d0, 0.0d0))/8

contains

  subroutine do_steps(n)
    integer, intent(in) :: n
    type(particle) :: out_left(most_migrants), out_right(most_migrants), inbox(most_migrants, 2)
    integer :: i, side, to_left, to_right, bytes, requests(4), statuses(mpi_status_size, 4), error

    do i = 1, n
      call mpi_irecv(inbox(1, from_left), most_migrants*particle_bytes, mpi_byte, left - 1, from_left, mpi_comm_world, &
                     requests(1), error)
      call mpi_irecv(inbox(1, from_right), most_migrants*particle_bytes, mpi_byte, right - 1, from_right, mpi_comm_world, &
                     requests(2), error)
      call move(out_left, to_left, out_right, to_right)
      call mpi_isend(out_left, to_left*particle_bytes, mpi_byte, left - 1, from_right, mpi_comm_world, requests(3), error)
      call mpi_isend(out_right, to_right*particle_bytes, mpi_byte, right - 1, from_left, mpi_comm_world, requests(4), error)
      call mpi_waitall(4, requests, statuses, error)
      do side = from_left, from_right
        call mpi_get_count(statuses(:, side), mpi_byte, bytes, error)
        call absorb(inbox(:bytes/particle_bytes, side))
      end do
    end do
  end subroutine do_steps

end module particles_messages

program particles_mpi
  use pair_timing, only: end_pair, start_pair
  use particles_domain, only: measure_particles
  use particles_messages, only: do_steps
  implicit none

  call start_pair()
  call measure_particles(do_steps)
  call end_pair()
end program particles_mpi
