!> Arrays of 3, 7 and 14 dimensions (14 and one codimension are the most that there can be).
program many_dimensions
  use checks
  implicit none
  integer :: a(3, 4, 5)[*], b(2, 3, 2, 1, 2, 3, 2)[*], c(2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 2)[*]
  integer :: l3(3, 4, 5), l7(2, 3, 2, 1, 2, 3, 2), l14(2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 2)
  integer :: s3(2, 2, 3), s7(2, 2, 2), s14(2, 2, 2), me, next, prev, i

  me = this_image(); next = right_of(me); prev = left_of(me)
  a = 0; b = 0; c = 0
  sync all
  a(:, :, :)[next] = reshape([(100 * me + i, i = 1, 60)], shape(a))
  b(:, :, :, :, :, :, :)[next] = reshape([(1000 * me + i, i = 1, size(b))], shape(b))
  c(:, :, :, :, :, :, :, :, :, :, :, :, :, :)[next] = reshape([(1000 * me + i, i = 1, size(c))], shape(c))
  sync all
  l3 = reshape([(100 * prev + i, i = 1, 60)], shape(a))
  l7 = reshape([(1000 * prev + i, i = 1, size(b))], shape(b))
  l14 = reshape([(1000 * prev + i, i = 1, size(c))], shape(c))
  call require(all(a == l3), 'put of 3 dimensions')
  call require(all(b == l7), 'put of 7 dimensions')
  call require(all(c == l14), 'put of 14 dimensions')
  s3 = a(3:1:-2, 2:3, 1:5:2)[me]
  call require(all(s3 == l3(3:1:-2, 2:3, 1:5:2)), 'get of a section of 3 dimensions')
  s7 = b(2, 1:3:2, :, 1, 2:1:-1, 3, 1)[me]
  call require(all(s7 == l7(2, 1:3:2, :, 1, 2:1:-1, 3, 1)), 'get of a section of 7 dimensions')
  s14 = c(2, 1, :, 1, 1, 1, 2:1:-1, 1, 2, 1, 1, 1, 1, :)[me]
  call require(all(s14 == l14(2, 1, :, 1, 1, 1, 2:1:-1, 1, 2, 1, 1, 1, 1, :)), 'get of a section of 14 dimensions')
  sync all
  c(1, :, :, :, 2:1:-1, :, :, 1, :, :, :, :, 2, 1:1)[next] = -me
  sync all
  l14(1, :, :, :, 2:1:-1, :, :, 1, :, :, :, :, 2, 1:1) = -prev
  call require(all(c == l14), 'put of a scalar to a section of 14 dimensions')
end program
