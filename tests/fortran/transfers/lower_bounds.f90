!> Arrays whose lower bounds are not one, static and allocatable.
program lower_bounds
  use checks
  implicit none
  integer :: a(-3:3, 0:2)[*], got(7), me, next, prev, i
  integer, allocatable :: b(:, :)[:]
  integer(8) :: first = 10000000000_8
  real, allocatable :: far(:)[:]

  me = this_image(); next = right_of(me); prev = left_of(me)
  allocate (b(10:12, -5:-1)[*], far(first:first + 3)[*])
  a = 0; b = 0; far = 0
  sync all
  a(-3, 0)[next] = me
  a(-2:3:5, 2)[next] = [2 * me, 3 * me]
  b(11:, -5)[next] = me
  b(10, -1:-5:-2)[next] = [me, me + 1, me + 2]
  far(first + 2)[next] = me
  sync all
  call require(a(-3, 0) == prev .and. a(-2, 2) == 2 * prev .and. a(3, 2) == 3 * prev, 'put to a static array')
  call require(count(a /= 0) == 3, 'beside the puts to a static array')
  call require(all(b(11:12, -5) == prev) .and. all(b(10, -1:-5:-2) == [prev, prev + 1, prev + 2]), &
               'put to an allocatable array')
  call require(all(far == [0, 0, prev, 0]), 'bounds beyond 32 bits')
  sync all
  a(:, 1) = [(100 * me + i, i = -3, 3)]
  sync all
  got = a(3:-3:-1, 1)[next]
  call require(all(got == [(100 * next + i, i = 3, -3, -1)]), 'get from a static array')
end program
