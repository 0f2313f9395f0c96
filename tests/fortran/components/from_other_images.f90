!> A component that is assigned one of another image takes its shape, and other images find it where it is then.
program from_other_images
  use checks
  implicit none
  type t
    integer, allocatable :: x(:)
    integer, allocatable :: y(:)
  end type
  type(t) :: c[*]
  integer, allocatable :: b(:)
  integer :: me, next, i, round

  me = this_image(); next = right_of(me)
  c%x = [(10*me + i, i=1, 5)]
  sync all
  c%y = c[next]%x
  call require(size(c%y) == 5 .and. all(c%y == [(10*next + i, i=1, 5)]), 'not allocated before')
  sync all
  b = c[next]%y
  call require(size(b) == 5 .and. all(b == [(10*right_of(next) + i, i=1, 5)]), 'seen by others')
  sync all
  c%y = c[next]%x(2:3)
  call require(size(c%y) == 2 .and. all(c%y == 10*next + [2, 3]), 'smaller')
  sync all
  b = c[next]%y
  call require(size(b) == 2 .and. all(b == 10*right_of(next) + [2, 3]), 'smaller, seen by others')
  sync all
  ! What is assigned may be part of what is replaced.
  do round = 1, 3
    c%x = c[me]%x(2:)
  end do
  call require(size(c%x) == 2 .and. all(c%x == 10*me + [4, 5]), 'part of itself')
  ! The bounds of a variable of the same shape stay.
  deallocate (c%y)
  allocate (c%y(-1:0))
  sync all
  c%y = c[next]%x
  call require(lbound(c%y, 1) == -1 .and. all(c%y == 10*next + [4, 5]), 'same shape')
  sync all
  deallocate (c%y)
  sync all
  call require(.not. allocated(c[next]%y), 'deallocated')
end program
