!> Assignments from one coindexed object to another: source, destination and executing image all differ.
program between_images
  use checks
  implicit none
  integer :: here(3), there(3)
  integer, parameter :: n = 8
  integer :: a(n)[*], b(n)[*], x[*], y[*]
  real(8) :: r(n)[*]
  integer :: me, to, from, author, i

  me = this_image()
  a = 0; r = 0; x = 0
  b = [(100 * me + i, i = 1, n)]; y = -me
  sync all
  ! This image moves data from the image on its left to the image on its right.
  to = right_of(me); from = left_of(me)
  a(:)[to] = b(:)[from]
  x[to] = y[from]
  r(n:1:-2)[to] = b(1:4)[from]
  sync all
  author = left_of(me); from = left_of(author)
  call require(all(a == [(100 * from + i, i = 1, n)]), 'whole array')
  call require_equal(x, -from, 'scalar')
  call require(all(r == [0, 100 * from + 4, 0, 100 * from + 3, 0, 100 * from + 2, 0, 100 * from + 1]), &
               'reversed section with conversion')
  sync all
  from = left_of(me)
  there = [1, 5, 3]; here = [8, 1, 8]
  a(there)[to] = b(here)[from]
  a(7:8)[to] = y[from]
  from = left_of(author)
  sync all
  call require(all(a([1, 5, 3]) == 100 * from + [8, 1, 8]), 'vector subscripts on both sides')
  call require(all(a(7:8) == -from), 'scalar to array')
end program
