!> Puts and gets between logicals of all kinds keep true and false.
program convert_logical
  use checks
  implicit none
  logical(1) :: c1(4, 3)[*], l1(4)
  logical(2) :: c2(4, 3)[*], l2(4)
  logical(4) :: c4(4, 3)[*], l4(4)
  logical(8) :: c8(4, 3)[*], l8(4)
  integer :: next
  logical, parameter :: t = .true., f = .false.

  next = right_of(this_image())
  l1 = [t, f, f, t]; l2 = l1; l4 = l1; l8 = l1
  c1 = .false.; c2 = .true.; c4 = .false.; c8 = .true.
  sync all
  c1(:, 1)[next] = l2; c1(:, 2)[next] = l4; c1(:, 3)[next] = l8
  c2(:, 1)[next] = l1; c2(:, 2)[next] = l4; c2(:, 3)[next] = l8
  c4(:, 1)[next] = l1; c4(:, 2)[next] = l2; c4(:, 3)[next] = l8
  c8(:, 1)[next] = l1; c8(:, 2)[next] = l2; c8(:, 3)[next] = l4
  sync all
  call require(all(c1 .eqv. spread(l4, 2, 3)), 'to logical(1)')
  call require(all(c2 .eqv. spread(l4, 2, 3)), 'to logical(2)')
  call require(all(c4 .eqv. spread(l4, 2, 3)), 'to logical(4)')
  call require(logical(all(c8 .eqv. spread(l4, 2, 3))), 'to logical(8)')
  l1 = .false.; l1 = c8(:, 1)[next]; call require(all(l1 .eqv. l4), 'get 8 to 1')
  l8 = .false.; l8 = c1(:, 1)[next]; call require(logical(all(l8 .eqv. l4)), 'get 1 to 8')
  l2 = .false.; l2 = c4(:, 1)[next]; call require(all(l2 .eqv. l4), 'get 4 to 2')
end program
