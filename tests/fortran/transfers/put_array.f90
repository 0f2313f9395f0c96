!> Whole arrays, rows, columns and blocks put to the next image arrive, and nothing beside them changes.
program put_array
  use checks
  implicit none
  integer, parameter :: n = 6, m = 5
  integer :: whole(n, m)[*], column(n, m)[*], row(n, m)[*], block(n, m)[*]
  integer :: mine(n, m), expected(n, m), me, next, prev, i, j

  me = this_image(); next = right_of(me); prev = left_of(me)
  mine = reshape([((value(me, i, j), i = 1, n), j = 1, m)], [n, m])
  whole = -1; column = -1; row = -1; block = -1
  sync all
  whole(:, :)[next] = mine
  column(:, 3)[next] = mine(:, 2)
  row(4, :)[next] = mine(1, :)
  block(2:4, 2:5)[next] = mine(3:5, 1:4)
  sync all
  mine = reshape([((value(prev, i, j), i = 1, n), j = 1, m)], [n, m])
  call require(all(whole == mine), 'whole array')
  expected = -1; expected(:, 3) = mine(:, 2)
  call require(all(column == expected), 'column')
  expected = -1; expected(4, :) = mine(1, :)
  call require(all(row == expected), 'row')
  expected = -1; expected(2:4, 2:5) = mine(3:5, 1:4)
  call require(all(block == expected), 'block')

contains

  integer function value(image, i, j)
    integer, intent(in) :: image, i, j
    value = 10000 * image + 100 * i + j
  end function
end program
