!> stat= is zero and errmsg= untouched after EVENT POST and EVENT WAIT that succeeded.
program with_stat
  use checks
  use, intrinsic :: iso_fortran_env, only: event_type
  implicit none
  type(event_type) :: gate(2)[*]
  integer :: status, next
  character(30) :: message
  character(:), allocatable :: deferred

  next = right_of(this_image())
  message = 'untouched'; deferred = 'untouched'
  status = 77
  event post (gate(1)[next], stat=status, errmsg=message)
  call require(status == 0 .and. message == 'untouched', 'event post')
  status = 77
  event wait (gate(1), stat=status, errmsg=message)
  call require(status == 0 .and. message == 'untouched', 'event wait')
  status = 77
  event post (gate(2)[next], stat=status, errmsg=deferred)
  call require(status == 0 .and. deferred == 'untouched', 'event post with an allocatable errmsg')
  status = 77
  event wait (gate(2), until_count=1, stat=status, errmsg=deferred)
  call require(status == 0 .and. deferred == 'untouched', 'event wait with an allocatable errmsg')
end program
