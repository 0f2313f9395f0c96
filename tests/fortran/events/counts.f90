!> Event counts: query, until_count, what a wait takes away, several posters, arrays of events.
program counts
  use checks
  use, intrinsic :: iso_fortran_env, only: event_type
  implicit none
  type(event_type) :: gate[*], slots(5)[*]
  type(event_type), allocatable :: later(:)[:]
  integer :: me, n, k, i, status, found

  me = this_image(); n = num_images()
  allocate (later(2)[*])
  call event_query(gate, found)
  call require_equal(found, 0, 'count at the start')
  call event_query(slots(4), found, status)
  call require(found == 0 .and. status == 0, 'count of an element at the start')
  sync all
  do k = 1, 3 * me
    event post (gate[1])
    event post (slots(3)[right_of(me)], stat=status)
    call require_equal(status, 0, 'stat of post')
  end do
  event post (later(2)[n])
  sync all
  call event_query(slots(3), found)
  call require_equal(found, 3 * left_of(me), 'count after posts')
  event wait (slots(3), until_count=3 * left_of(me) - 1, stat=status)
  call require_equal(status, 0, 'stat of wait')
  call event_query(slots(3), found)
  call require_equal(found, 1, 'count after a wait that left one')
  event wait (slots(3))
  call event_query(slots(3), found)
  call require_equal(found, 0, 'count after the last wait')
  do i = 1, 5
    call event_query(slots(i), found)
    call require_equal(found, 0, 'counts of the other elements')
  end do
  if (me == 1) then
    event wait (gate, until_count=3 * n * (n + 1) / 2)
    call event_query(gate, found)
    call require_equal(found, 0, 'count after a wait for all posts')
  end if
  if (me == n) then
    event wait (later(2), until_count=n)
    call event_query(later(1), found)
    call require_equal(found, 0, 'count of an allocatable event')
  end if
end program
