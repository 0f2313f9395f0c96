!> The counts of events that are allocated again start at 0, whatever was left of the former ones.
program again
  use checks
  use, intrinsic :: iso_fortran_env, only: event_type
  implicit none
  type(event_type), allocatable :: gate(:)[:]
  integer :: k, next, found

  next = right_of(this_image())
  do k = 1, 10
    allocate (gate(3)[*])
    call event_query(gate(2), found)
    call require_equal(found, 0, 'count of a new event')
    sync all
    event post (gate(2)[next])
    event post (gate(2)[next])
    event wait (gate(2))
    sync all
    call event_query(gate(2), found)
    call require_equal(found, 1, 'count after a wait')
    deallocate (gate)
  end do
end program
