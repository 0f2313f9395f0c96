!> ALLOCATE with source= and mold=.
program sources
  use checks
  implicit none
  integer, allocatable :: a(:)[:], b(:, :)[:], c[:]
  real(8), allocatable :: d(:)[:]
  integer :: me, next, i, pattern(2, 3)

  me = this_image(); next = right_of(me)
  pattern = reshape([(i, i = 1, 6)], [2, 3])
  allocate (a(5)[*], source=[(10 * me + i, i = 1, 5)])
  allocate (b(2, 3)[*], source=me * pattern)
  allocate (c[*], source=7 * me)
  allocate (d(4)[*], source=0.5d0)
  sync all
  call require(all(a(:)[next] == [(10 * next + i, i = 1, 5)]), 'array')
  call require(all(b(:, :)[next] == next * pattern), 'matrix')
  call require_equal(c[next], 7 * next, 'scalar')
  call require(all(d(:)[next] == 0.5d0), 'scalar for an array')
  sync all
  deallocate (a)
  allocate (a(3)[*], mold=pattern(1, :))
  a = me
  sync all
  call require_equal(a(3)[next], next, 'mold')
end program
