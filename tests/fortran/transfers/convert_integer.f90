!> Puts and gets between integers of all kinds convert the values.
program convert_integer
  use checks
  implicit none
  integer(1) :: c1(5, 5)[*], l1(5)
  integer(2) :: c2(5, 5)[*], l2(5)
  integer(4) :: c4(5, 5)[*], l4(5)
  integer(8) :: c8(5, 5)[*], l8(5)
  integer(16) :: c16(5, 5)[*], l16(5)
  integer :: values(5), theirs(5), me, next, prev, i

  me = this_image(); next = right_of(me); prev = left_of(me)
  values = [0, 1, -1, -128, me]
  theirs = [0, 1, -1, -128, prev]
  l1 = int(values, 1); l2 = int(values, 2); l4 = values; l8 = values; l16 = values
  c1 = 99; c2 = 99; c4 = 99; c8 = 99; c16 = 99
  sync all
  c1(:, 1)[next] = l1; c1(:, 2)[next] = l2; c1(:, 3)[next] = l4; c1(:, 4)[next] = l8; c1(:, 5)[next] = l16
  c2(:, 1)[next] = l1; c2(:, 2)[next] = l2; c2(:, 3)[next] = l4; c2(:, 4)[next] = l8; c2(:, 5)[next] = l16
  c4(:, 1)[next] = l1; c4(:, 2)[next] = l2; c4(:, 3)[next] = l4; c4(:, 4)[next] = l8; c4(:, 5)[next] = l16
  c8(:, 1)[next] = l1; c8(:, 2)[next] = l2; c8(:, 3)[next] = l4; c8(:, 4)[next] = l8; c8(:, 5)[next] = l16
  c16(:, 1)[next] = l1; c16(:, 2)[next] = l2; c16(:, 3)[next] = l4; c16(:, 4)[next] = l8; c16(:, 5)[next] = l16
  sync all
  do i = 1, 5
    call require(all(c1(:, i) == theirs), 'put to integer(1)')
    call require(all(c2(:, i) == theirs), 'put to integer(2)')
    call require(all(c4(:, i) == theirs), 'put to integer(4)')
    call require(all(c8(:, i) == theirs), 'put to integer(8)')
    call require(all(c16(:, i) == theirs), 'put to integer(16)')
  end do

  ! Gets of what was just put: the next image has the values of this one.
  l1 = c2(:, 1)[next]; call require(all(l1 == values), '2 to 1')
  l1 = c4(:, 1)[next]; call require(all(l1 == values), '4 to 1')
  l1 = c8(:, 1)[next]; call require(all(l1 == values), '8 to 1')
  l1 = c16(:, 1)[next]; call require(all(l1 == values), '16 to 1')
  l2 = c1(:, 1)[next]; call require(all(l2 == values), '1 to 2')
  l2 = c4(:, 1)[next]; call require(all(l2 == values), '4 to 2')
  l2 = c8(:, 1)[next]; call require(all(l2 == values), '8 to 2')
  l2 = c16(:, 1)[next]; call require(all(l2 == values), '16 to 2')
  l4 = c1(:, 1)[next]; call require(all(l4 == values), '1 to 4')
  l4 = c2(:, 1)[next]; call require(all(l4 == values), '2 to 4')
  l4 = c8(:, 1)[next]; call require(all(l4 == values), '8 to 4')
  l4 = c16(:, 1)[next]; call require(all(l4 == values), '16 to 4')
  l8 = c1(:, 1)[next]; call require(all(l8 == values), '1 to 8')
  l8 = c2(:, 1)[next]; call require(all(l8 == values), '2 to 8')
  l8 = c4(:, 1)[next]; call require(all(l8 == values), '4 to 8')
  l8 = c16(:, 1)[next]; call require(all(l8 == values), '16 to 8')
  l16 = c1(:, 1)[next]; call require(all(l16 == values), '1 to 16')
  l16 = c2(:, 1)[next]; call require(all(l16 == values), '2 to 16')
  l16 = c4(:, 1)[next]; call require(all(l16 == values), '4 to 16')
  l16 = c8(:, 1)[next]; call require(all(l16 == values), '8 to 16')
end program
