!> A part of every element of an array component: one subscript list on the way is a section, the others are elements.
program parts
  use checks
  implicit none
  type point
    real(8) :: at(3)
    integer :: colour
  end type
  type t
    type(point), allocatable :: p(:)
    type(point) :: q(2, 2)
  end type
  type(t) :: c[*]
  integer, allocatable :: b(:)
  real(8), allocatable :: r(:)
  integer :: me, next, i

  me = this_image(); next = right_of(me)
  allocate (c%p(0:4))
  do i = 0, 4
    c%p(i)%at = 100*me + i + [0.25d0, 0.5d0, 0.75d0]
    c%p(i)%colour = 10*me + i
  end do
  c%q%colour = reshape([1, 2, 3, 4], [2, 2])*me
  sync all
  b = c[next]%p%colour
  call require(size(b) == 5 .and. all(b == [(10*next + i, i=0, 4)]), 'of all')
  b = c[next]%p(3:1:-2)%colour
  call require(size(b) == 2 .and. all(b == 10*next + [3, 1]), 'of some')
  r = c[next]%p(:)%at(2)
  call require(size(r) == 5 .and. all(r == [(100*next + i + 0.5d0, i=0, 4)]), 'element of a part')
  r = c[next]%p(2)%at
  call require(size(r) == 3 .and. all(r == 100*next + 2 + [0.25d0, 0.5d0, 0.75d0]), 'part of an element')
  sync all
  c[next]%p(1:4:3)%colour = [-1, -4]
  c[next]%p(0)%at(2:) = 7
  c[next]%q(2, :)%colour = 9
  sync all
  call require(all(c%p%colour == [10*me, -1, 10*me + 2, 10*me + 3, -4]), 'put to some')
  call require(all(c%p(0)%at == [100*me + 0.25d0, 7d0, 7d0]), 'put to a part of an element')
  call require(all(c%q%colour == reshape([me, 9, 3*me, 9], [2, 2])), 'put to a row')
end program
