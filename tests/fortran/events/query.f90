!> EVENT_QUERY counts posts without taking any, and leaves its stat= 0; it may be called while others post.
program query
  use checks
  use, intrinsic :: iso_fortran_env, only: event_type
  implicit none
  type(event_type) :: gate[*]
  integer :: me, n, found, before, status, k

  me = this_image(); n = num_images()
  do k = 1, 30
    event post (gate[1])
  end do
  if (me == 1) then
    before = 0
    do
      status = 77
      call event_query(gate, found, status)
      call require_equal(status, 0, 'stat')
      call require(found >= before .and. found <= 30 * n, 'count goes down')
      before = found
      if (found == 30 * n) exit
    end do
    event wait (gate, until_count=30 * n - 1)
    call event_query(gate, found)
    call require_equal(found, 1, 'what is left')
    event wait (gate)
  end if
  sync all
  call event_query(gate, found)
  call require_equal(found, 0, 'at the end')
end program
