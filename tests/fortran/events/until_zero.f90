!> until_count= below one counts as one; posts that come before the wait are not lost.
program until_zero
  use checks
  use, intrinsic :: iso_fortran_env, only: event_type
  implicit none
  type(event_type) :: ready[*]
  integer :: found

  event post (ready)
  event wait (ready, until_count=0)
  call event_query(ready, found)
  call require_equal(found, 0, 'after until_count=0')
  event post (ready)
  event post (ready)
  event wait (ready, until_count=-5)
  call event_query(ready, found)
  call require_equal(found, 1, 'after until_count=-5')
  event wait (ready)
  sync all
  event post (ready[right_of(this_image())])
  event wait (ready)
end program
