!> ALLOCATE and DEALLOCATE with errmsg=: untouched on success, a text when there is an error, and stat= is not 0 then.
program with_errmsg
  use checks
  implicit none
  integer, allocatable :: a(:)[:]
  integer :: status
  character(60) :: message

  message = 'untouched'; status = 77
  allocate (a(3)[*], stat=status, errmsg=message)
  call require(status == 0 .and. message == 'untouched', 'allocate')
  allocate (a(4)[*], stat=status, errmsg=message)
  call require(status /= 0 .and. message /= 'untouched' .and. size(a) == 3, 'allocate of what is allocated: ' // message)
  message = 'untouched'; status = 77
  deallocate (a, stat=status, errmsg=message)
  call require(status == 0 .and. message == 'untouched', 'deallocate')
  deallocate (a, stat=status, errmsg=message)
  call require(status /= 0 .and. message /= 'untouched', 'deallocate of what is not allocated: ' // message)
end program
