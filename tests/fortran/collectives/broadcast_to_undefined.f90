! A long message is broadcast to allocated memory that the receivers have never defined.
program broadcast_to_undefined
  use checks
  implicit none
  integer, parameter :: n = 300000
  integer, allocatable :: message(:)
  integer :: i

  allocate (message(n))
  if (this_image() == 1) message = [(i, i = 1, n)]
  call co_broadcast(message, 1)
  call require(all(message == [(i, i = 1, n)]), 'the message arrives')
end program
