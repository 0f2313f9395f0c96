!> stat= in an image selector is zero after a transfer that succeeded.
program get_with_stat
  use checks
  implicit none
  integer :: a(4)[*], got(4), status, me, next

  me = this_image(); next = right_of(me)
  a = me
  sync all
  status = 77
  got = a(:)[next, stat=status]
  call require(all(got == next), 'get')
  call require_equal(status, 0, 'stat of a get')
  sync all
  a(2:3)[next, stat=status] = -me
  sync all
  call require(all(a == [me, -left_of(me), -left_of(me), me]), 'put')
end program
