!> Transfers within one image whose source and destination overlap behave as if the source were copied first.
program overlap
  use checks
  implicit none
  integer, parameter :: n = 40
  integer :: a(n)[*], b(6, 6)[*], start(n), start2(6, 6), me, i, j

  me = this_image()
  start = [(100 * me + i, i = 1, n)]
  start2 = reshape([((10 * i + j, i = 1, 6), j = 1, 6)], [6, 6])
  a = start; a(2:n)[me] = a(1:n - 1)
  call require(all(a(2:) == start(:n - 1)) .and. a(1) == start(1), 'put one to the right')
  a = start; a(1:n - 1)[me] = a(2:n)
  call require(all(a(:n - 1) == start(2:)) .and. a(n) == start(n), 'put one to the left')
  a = start; a(:)[me] = a(n:1:-1)
  call require(all(a == start(n:1:-1)), 'put reversed')
  a = start; a(2:n) = a(1:n - 1)[me]
  call require(all(a(2:) == start(:n - 1)) .and. a(1) == start(1), 'get one to the right')
  a = start; a(1:n - 1) = a(2:n)[me]
  call require(all(a(:n - 1) == start(2:)) .and. a(n) == start(n), 'get one to the left')
  a = start; a(n:1:-1) = a(:)[me]
  call require(all(a == start(n:1:-1)), 'get reversed')
  a = start; a(3:n)[me] = a(1:n - 2)[me]
  call require(all(a(3:) == start(:n - 2)), 'transfer two to the right')
  a = start; a(n:1:-1)[me] = a(:)[me]
  call require(all(a == start(n:1:-1)), 'transfer reversed')
  a = start; a(1:20)[me] = a(1:40:2)[me]
  call require(all(a(1:20) == start(1:40:2)), 'transfer of a strided section onto itself')
  b = start2; b(:, :)[me] = transpose(b)
  call require(all(b == transpose(start2)), 'put of the transpose')
  b = start2; b(2:6, 2:6)[me] = b(1:5, 1:5)[me]
  call require(all(b(2:6, 2:6) == start2(1:5, 1:5)) .and. all(b(1, :) == start2(1, :)), 'transfer of a block')
  b = start2; b(1:5, :) = b(2:6, :)[me]
  call require(all(b(1:5, :) == start2(2:6, :)), 'get of a block')
end program
