! Puts and gets that are longer than a message, with short ones before and after them: they keep their order.
program long_transfers
  use checks
  implicit none
  integer, parameter :: n = 300000
  integer :: a(n)[*], b(n), me, next, before, round, i

  me = this_image()
  next = right_of(me)
  before = left_of(me)
  do round = 1, 3
    a = -1
    sync all
    ! The last one of these counts for each element.
    a(:)[next] = [(me, i=1, n)]
    a(7)[next] = 1000 * me + round
    a(10:n)[next] = [(me + i, i=10, n)]
    a(n)[next] = round
    sync all
    call require(all(a(1:6) == before), 'first')
    call require_equal(a(7), 1000 * before + round, 'seventh')
    call require(all(a(8:9) == before), 'eighth')
    call require(all(a(10:n - 1) == [(before + i, i=10, n - 1)]), 'all others')
    call require_equal(a(n), round, 'last')
    ! What was put is seen by a get of the same image.
    sync all
    a(1:n)[next] = [(round * i, i=1, n)]
    b = a(:)[next]
    call require(all(b == [(round * i, i=1, n)]), 'read back')
    sync all
    b = a(:)[before]
    call require(all(b == [(round * i, i=1, n)]), 'read from the other side')
    sync all
  end do
end program long_transfers
