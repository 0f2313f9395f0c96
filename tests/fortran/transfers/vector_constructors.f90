!> Array constructors and expressions as vector subscripts and cosubscripts, on either side.
! Not with gfortran 15 and later: it crashes.
program vector_constructors
  use checks
  implicit none
  integer :: a(8)[*], m(4, 5)[*], got(3)
  integer :: me, next, prev, i

  me = this_image(); next = right_of(me); prev = left_of(me)
  a = [(10 * me + i, i = 1, 8)]; m = 0
  sync all
  got = a([7, 2, 5])[next]
  call require(all(got == 10 * next + [7, 2, 5]), 'get')
  got = a([(2 * i, i = 3, 1, -1)])[right_of(me)]
  call require(all(got == 10 * next + [6, 4, 2]), 'get with an implied do')
  sync all
  m([4, 1], 3)[next] = [me, -me]
  m(2, [5, 1, 2])[right_of(me)] = a([1, 1, 8])[left_of(me)]
  sync all
  call require(m(4, 3) == prev .and. m(1, 3) == -prev .and. count(m(:, 3) /= 0) == 2, 'put')
  i = 10 * left_of(prev)
  call require(all(m(2, [5, 1, 2]) == i + [1, 1, 8]), 'from one image to another')
end program
