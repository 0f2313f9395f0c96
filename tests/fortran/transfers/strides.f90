!> Sections with positive and negative strides on either side of a put and of a get.
program strides
  use checks
  implicit none
  integer, parameter :: n = 12
  integer :: a(n)[*], b(n)[*], c(n, n)[*], d(n)[*]
  integer :: mine(n), got(n), got2(n, n), expected(n), expected2(n, n), me, next, prev, i, j

  me = this_image(); next = right_of(me); prev = left_of(me)
  a = -1; b = -1; d = -1; c = reshape([((100 * i + j, i = 1, n), j = 1, n)], [n, n]) + 10000 * me
  mine = [(100 * me + i, i = 1, n)]
  sync all
  a(1:n:2)[next] = mine(:6)
  b(n:1:-3)[next] = mine(1:n:3)
  d(2:n:5)[next] = mine(n:1:-4)
  sync all
  expected = -1; expected(1:n:2) = [(100 * prev + i, i = 1, 6)]
  call require(all(a == expected), 'put to stride 2')
  expected = -1; expected(n:1:-3) = [(100 * prev + i, i = 1, n, 3)]
  call require(all(b == expected), 'put of stride 3 to stride -3')
  expected = -1; expected(2:n:5) = [(100 * prev + i, i = n, 1, -4)]
  call require(all(d == expected), 'put of stride -4 to stride 5')

  expected2 = reshape([((100 * i + j, i = 1, n), j = 1, n)], [n, n]) + 10000 * next
  got = c(n:1:-1, 3)[next]
  call require(all(got == expected2(n:1:-1, 3)), 'get of a reversed column')
  got(1:4) = c(5, 11:2:-3)[next]
  call require(all(got(1:4) == expected2(5, 11:2:-3)), 'get of a reversed strided row')
  got2 = -1
  got2(11:1:-2, 2:12:3) = c(1:6, 9:12)[next]
  call require(all(got2(11:1:-2, 2:12:3) == expected2(1:6, 9:12)), 'get into strides -2 and 3')
  call require(count(got2 == -1) == n * n - 24, 'beside strides -2 and 3')
  got2 = c(n:1:-1, n:1:-1)[next]
  call require(all(got2 == expected2(n:1:-1, n:1:-1)), 'get of a matrix turned around')
end program
