!> A scalar assigned to a coindexed section fills it: constants, variables, conversions, characters.
program scalar_to_array
  use checks
  implicit none
  type point
    integer :: x, y
    character(3) :: tag
  end type
  integer :: a(8)[*], b(4, 5)[*]
  real(8) :: r(6)[*]
  character(4) :: s(5)[*]
  type(point) :: p(3)[*]
  integer :: me, next, prev

  me = this_image(); next = right_of(me); prev = left_of(me)
  a = 0; b = 0; r = 0; s = '----'; p = point(0, 0, '---')
  sync all
  a(:)[next] = me
  b(2:3, 1:5:2)[next] = -me
  r(6:2:-2)[next] = me
  s(2:4)[next] = 'x'
  p(2:)[next] = point(me, -me, 'abc')
  sync all
  call require(all(a == prev), 'whole array')
  call require(all(b(2:3, 1:5:2) == -prev) .and. count(b == 0) == 14, 'section of two dimensions')
  call require(all(r == [0, prev, 0, prev, 0, prev]), 'integer to real')
  call require(all(s == ['----', 'x   ', 'x   ', 'x   ', '----']), 'character')
  call require(all(p(2:)%x == prev) .and. all(p(2:)%y == -prev) .and. all(p(2:)%tag == 'abc'), 'type')
  call require(p(1)%x == 0 .and. p(1)%tag == '---', 'beside the type')
end program
