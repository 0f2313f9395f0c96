!> Puts and gets between reals of all kinds, and between integers and reals, round as assignment does.
program convert_real
  use checks
  implicit none
  real(4) :: c4(4, 6)[*], l4(4)
  real(8) :: c8(4, 6)[*], l8(4)
  real(kind10) :: c10(4, 6)[*], l10(4)
  real(16) :: c16(4, 6)[*], l16(4)
  integer :: i4(4, 4)[*], n4(4)
  integer(8) :: i8(4, 4)[*], n8(4)
  integer :: me, next, prev
  real(16) :: third, theirs(4)

  me = this_image(); next = right_of(me); prev = left_of(me)
  third = 1 / 3.0_16
  l16 = [third, -2.75_16, 1.0e10_16, me + third]
  l10 = real(l16, kind10); l8 = real(l16, 8); l4 = real(l16, 4); n4 = [0, -7, 2000000000, me]; n8 = n4
  theirs = [third, -2.75_16, 1.0e10_16, prev + third]
  c4 = 0; c8 = 0; c10 = 0; c16 = 0; i4 = 0; i8 = 0
  sync all
  c4(:, 1)[next] = l4; c4(:, 2)[next] = l8; c4(:, 3)[next] = l10; c4(:, 4)[next] = l16
  c4(:, 5)[next] = n4; c4(:, 6)[next] = n8
  c8(:, 1)[next] = l4; c8(:, 2)[next] = l8; c8(:, 3)[next] = l10; c8(:, 4)[next] = l16
  c8(:, 5)[next] = n4; c8(:, 6)[next] = n8
  c10(:, 1)[next] = l4; c10(:, 2)[next] = l8; c10(:, 3)[next] = l10; c10(:, 4)[next] = l16
  c10(:, 5)[next] = n4; c10(:, 6)[next] = n8
  c16(:, 1)[next] = l4; c16(:, 2)[next] = l8; c16(:, 3)[next] = l10; c16(:, 4)[next] = l16
  c16(:, 5)[next] = n4; c16(:, 6)[next] = n8
  ! To integers: towards zero.
  i4(1:2, 1)[next] = l4(1:2); i4(1:2, 2)[next] = l8(1:2); i4(1:2, 3)[next] = l10(1:2); i4(1:2, 4)[next] = l16(1:2)
  i8(:, 1)[next] = l4; i8(:, 2)[next] = l8; i8(:, 3)[next] = l10; i8(:, 4)[next] = l16
  sync all
  l16 = theirs; l10 = real(l16, kind10); l8 = real(l16, 8); l4 = real(l16, 4); n4(4) = prev; n8(4) = prev
  call require(all(c4(:, 1) == l4), 'real(4) to real(4)')
  call require(all(c4(:, 2) == real(l8, 4)), 'real(8) to real(4)')
  call require(all(c4(:, 3) == real(l10, 4)), 'real(10) to real(4)')
  call require(all(c4(:, 4) == real(l16, 4)), 'real(16) to real(4)')
  call require(all(c4(:, 5) == real(n4, 4)) .and. all(c4(:, 6) == real(n8, 4)), 'integer to real(4)')
  call require(all(c8(:, 1) == l4), 'real(4) to real(8)')
  call require(all(c8(:, 2) == l8), 'real(8) to real(8)')
  call require(all(c8(:, 3) == real(l10, 8)), 'real(10) to real(8)')
  call require(all(c8(:, 4) == real(l16, 8)), 'real(16) to real(8)')
  call require(all(c8(:, 5) == n4) .and. all(c8(:, 6) == n8), 'integer to real(8)')
  call require(all(c10(:, 1) == l4), 'real(4) to real(10)')
  call require(all(c10(:, 2) == l8), 'real(8) to real(10)')
  call require(all(c10(:, 3) == l10), 'real(10) to real(10)')
  call require(all(c10(:, 4) == real(l16, kind10)), 'real(16) to real(10)')
  call require(all(c10(:, 5) == n4) .and. all(c10(:, 6) == n8), 'integer to real(10)')
  call require(all(c16(:, 1) == l4), 'real(4) to real(16)')
  call require(all(c16(:, 2) == l8), 'real(8) to real(16)')
  call require(all(c16(:, 3) == l10), 'real(10) to real(16)')
  call require(all(c16(:, 4) == l16), 'real(16) to real(16)')
  call require(all(c16(:, 5) == n4) .and. all(c16(:, 6) == n8), 'integer to real(16)')
  call require(all(i4(1, :) == 0) .and. all(i4(2, :) == -2), 'real to integer(4)')
  call require(all(i8(2, :) == -2) .and. all(i8(3, :) == 10000000000_8) .and. all(i8(4, :) == prev), &
               'real to integer(8)')

  ! Gets of what was just put: the next image has the values of this one.
  l8 = c4(:, 1)[next]; call require(all(l8 == real([third, -2.75_16, 1.0e10_16, me + third], 4)), 'get 4 to 8')
  l4 = c16(:, 4)[next]; call require(all(l4 == real([third, -2.75_16, 1.0e10_16, me + third], 4)), 'get 16 to 4')
  l10 = c8(:, 2)[next]
  call require(all(l10 == real([third, -2.75_16, 1.0e10_16, me + third], 8)), 'get 8 to 10')
  l16 = c10(:, 3)[next]
  call require(all(l16 == real([third, -2.75_16, 1.0e10_16, me + third], kind10)), 'get 10 to 16')
  n4(1:2) = c8(1:2, 2)[next]; call require(all(n4(1:2) == [0, -2]), 'get real(8) to integer(4)')
  l4 = i4(:, 1)[next]; call require(l4(2) == -2, 'get integer(4) to real(4)')
end program
