!> Vector subscripts select elements in their order, in every dimension, of any integer kind.
program vector_subscripts
  use checks
  implicit none
  integer, parameter :: n = 10
  integer :: a(n)[*], b(n, n)[*], c(-2:7)[*]
  integer :: got(4), got2(3, 2), there(n, n), me, next, prev, i, j
  integer(1) :: k1(3)
  integer(2) :: k2(2)
  integer(8) :: k8(4)
  integer :: none(0)
  integer :: three(3)

  me = this_image(); next = right_of(me); prev = left_of(me)
  a = 0; c = [(1000 * me + i, i = -2, 7)]
  b = reshape([((100 * i + j, i = 1, n), j = 1, n)], [n, n]) + 10000 * me
  sync all
  three = [9, 2, 5]
  a(three)[next] = [me, 2 * me, 3 * me]
  sync all
  call require(all(a == [0, 2 * prev, 0, 0, 3 * prev, 0, 0, 0, prev, 0]), 'put by vector')
  sync all
  k8 = [1, 10, 4, 7]
  a(k8)[next] = -me
  sync all
  call require(all(a(k8) == -prev), 'scalar put by a vector of kind 8')

  there = reshape([((100 * i + j, i = 1, n), j = 1, n)], [n, n]) + 10000 * next
  k1 = [7_1, 7_1, 1_1]; k2 = [10_2, 2_2]
  got(1:3) = b(k1, 4)[next]
  call require(all(got(1:3) == there(k1, 4)), 'get by a vector of kind 1, an element twice')
  got(1:2) = b(3, k2)[next]
  call require(all(got(1:2) == there(3, k2)), 'get by a vector of kind 2')
  got2 = b(k1, k2)[next]
  call require(all(got2 == there(k1, k2)), 'get by two vectors')
  got2 = b(9:5:-2, k2)[next]
  call require(all(got2 == there(9:5:-2, k2)), 'get by triplet and vector')
  k8 = [-2, 7, 0, -2]
  got = c(k8)[next]
  call require(all(got == 1000 * next + [-2, 7, 0, -2]), 'lower bound -2')
  got = 5; a = 5
  sync all
  ! (A vector on the left-hand side of a get: gfortran 12 does not know its size in time.)
  got(1:size(none)) = a(none)[next]
  a(none)[next] = got(1:size(none))
  sync all
  call require(all(got == 5) .and. all(a == 5), 'empty vector')
end program
