!> Pointer components that point to what is no part of a coarray: variables of the image, sections of them, what it has
!> allocated.
! Not with gfortran 15 and later: pointer components have another layout in accessors.
program targets
  use checks
  implicit none
  type t
    integer, pointer :: p(:) => null(), m(:, :) => null()
    real, pointer :: r => null()
  end type
  type(t), allocatable :: c[:]
  integer, target :: fixed(20), grid(6, 5)
  integer, allocatable, target :: heap(:)
  real, target :: x
  real(8) :: wide
  integer, allocatable :: got(:)
  integer :: me, next, i, one

  me = this_image(); next = right_of(me)
  fixed = [(100 * me + i, i=1, 20)]
  grid = reshape([(1000 * me + i, i=1, 30)], [6, 5])
  allocate (heap(3), source=me)
  x = me
  allocate (c[*])
  c%p => fixed(2:20:3); c%m => grid(1:6:2, 2:4); c%r => x
  sync all
  got = c[next]%p
  call require(size(got) == 7 .and. all(got == 100 * next + [2, 5, 8, 11, 14, 17, 20]), 'all of a section')
  got(1:3) = c[next]%p(7:3:-2)
  call require(all(got(1:3) == 100 * next + [20, 14, 8]), 'backwards')
  one = c[next]%m(2, 3)
  call require_equal(one, 1000 * next + 21, 'an element of a matrix')
  got = c[next]%m(3, :)
  call require(all(got == 1000 * next + [11, 17, 23]), 'a row')
  wide = c[next]%r
  call require(wide == next, 'converted')
  sync all
  c[next]%p(2:6:2) = [-1, -2, -me]
  c[next]%m(:, 1) = -7
  c[next]%r = 2 * me
  sync all
  call require(all(fixed(5:17:6) == [-1, -2, -left_of(me)]), 'put of a section')
  call require(all(fixed(8:14:6) == 100 * me + [8, 14]), 'between what was put')
  call require(all(grid(1:5:2, 2) == -7) .and. all(grid(2:6:2, 2) == 1000 * me + [8, 10, 12]), 'put of a column')
  call require(x == 2 * left_of(me), 'converted on the way there')
  sync all
  c%p => heap
  sync all
  fixed(1:3) = c[next]%p(1:3) + 1
  call require(all(fixed(1:3) == next + 1), 'allocated by the image alone')
  sync all
end program
