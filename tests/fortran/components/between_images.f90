!> Assignments from components of one image to components of another: arrays, sections, elements, scalars.
program between_images
  use checks
  implicit none
  type t
    integer, allocatable :: a(:)
    integer, allocatable :: m(:, :)
    integer :: fixed(4)
    real(8), allocatable :: s, r
  end type
  type(t) :: c[*]
  integer :: me, n, next, after, i

  me = this_image(); n = num_images(); next = right_of(me); after = right_of(next)
  allocate (c%a(6), c%m(2, 3), c%s, c%r)
  c%a = [(100 * me + i, i = 1, 6)]; c%m = 0; c%fixed = -me; c%s = me; c%r = 0
  sync all
  ! Every image moves something between two others.
  c[after]%m(1, :) = c[next]%a(2:6:2)
  c[after]%fixed(1:2) = c[next]%a(5:6)
  c[after]%m(2, 2) = c[next]%a(1)
  sync all
  call require(all(c%m(1, :) == 100 * left_of(me) + [2, 4, 6]), 'row from a section')
  call require(all(c%fixed == [100 * left_of(me) + 5, 100 * left_of(me) + 6, -me, -me]), 'part of fixed size')
  call require(c%m(2, 2) == 100 * left_of(me) + 1 .and. c%m(2, 1) == 0, 'element')
  sync all
  c[next]%r = c[after]%s
  sync all
  call require(c%r == right_of(me), 'scalar')
end program
