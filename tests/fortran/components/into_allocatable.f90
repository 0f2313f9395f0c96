!> A coindexed object on the right-hand side defines an allocatable variable: it gets the shape of the object.
program into_allocatable
  use checks
  implicit none
  integer, allocatable :: a(:)[:], m(:, :)[:], moved(:)[:]
  integer, allocatable :: b(:), c(:, :), s
  real(8), allocatable :: r(:)
  integer :: fixed(7)[*], me, next, i

  me = this_image(); next = right_of(me)
  allocate (a(3:12)[*], m(4, 0:2)[*])
  a = [(100*me + i, i=3, 12)]
  m = reshape([(1000*me + i, i=1, 12)], [4, 3])
  fixed = [(10*me + i, i=1, 7)]
  sync all

  b = a(:)[next]
  call require(all(shape(b) == [10]), 'shape of a whole array')
  call require(all(b == [(100*next + i, i=3, 12)]), 'whole array')
  b = a(4:10:3)[next]
  call require(size(b) == 3 .and. all(b == 100*next + [4, 7, 10]), 'section, another shape')
  b = a(10:4:-3)[next]
  call require(size(b) == 3 .and. all(b == 100*next + [10, 7, 4]), 'backwards')
  b = a(5:4)[next]
  call require(allocated(b) .and. size(b) == 0, 'nothing')
  b = a(:5)[next]
  call require(size(b) == 3 .and. all(b == 100*next + [3, 4, 5]), 'from the start')
  b = a(11:)[next]
  call require(size(b) == 2 .and. all(b == 100*next + [11, 12]), 'to the end')
  c = m(:, :)[next]
  call require(all(shape(c) == [4, 3]), 'shape of rank 2')
  call require(all(c == reshape([(1000*next + i, i=1, 12)], [4, 3])), 'rank 2')
  c = m(2:4:2, 1:)[next]
  call require(all(shape(c) == [2, 2]) .and. all(c == 1000*next + reshape([6, 8, 10, 12], [2, 2])), 'section of rank 2')
  b = m(:, 1)[next]
  call require(size(b) == 4 .and. all(b == 1000*next + [5, 6, 7, 8]), 'column')
  b = m(3, :)[next]
  call require(size(b) == 3 .and. all(b == 1000*next + [3, 7, 11]), 'row')
  b = fixed(:)[next]
  call require(size(b) == 7 .and. all(b == [(10*next + i, i=1, 7)]), 'of a static coarray')
  b = fixed(2:6:2)[next]
  call require(size(b) == 3 .and. all(b == 10*next + [2, 4, 6]), 'section of a static coarray')
  r = a(3:5)[next]
  call require(size(r) == 3 .and. all(r == 100*next + [3, 4, 5]), 'converted')
  s = fixed(4)[next]
  call require(s == 10*next + 4, 'scalar')

  ! The lower bounds of a variable that has the shape already stay.
  deallocate (b); allocate (b(-1:1))
  b = a(3:5)[next]
  call require(lbound(b, 1) == -1 .and. all(b == 100*next + [3, 4, 5]), 'same shape')

  call move_alloc(a, moved)
  b = moved(:)[next]
  call require(size(b) == 10 .and. all(b == [(100*next + i, i=3, 12)]), 'after move_alloc')
  sync all
  deallocate (moved, m)
end program
