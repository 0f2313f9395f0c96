!> Whole arrays, rows, columns and blocks got from another image.
program get_array
  use checks
  implicit none
  integer, parameter :: n = 6, m = 5
  real(8) :: a(n, m)[*]
  real(8) :: got(n, m), there(n, m)
  integer :: me, from, i, j

  me = this_image()
  a = reshape([((value(me, i, j), i = 1, n), j = 1, m)], [n, m])
  sync all
  do from = 1, num_images()
    there = reshape([((value(from, i, j), i = 1, n), j = 1, m)], [n, m])
    got = a(:, :)[from]
    call require(all(got == there), 'whole array')
    got = -1; got(:, 1) = a(:, 4)[from]
    call require(all(got(:, 1) == there(:, 4)) .and. all(got(:, 2:) == -1), 'column')
    got = -1; got(2, :) = a(5, :)[from]
    call require(all(got(2, :) == there(5, :)) .and. all(got(1, :) == -1), 'row')
    got = -1; got(1:3, 2:3) = a(4:6, 1:2)[from]
    call require(all(got(1:3, 2:3) == there(4:6, 1:2)), 'block')
    call require(count(got == -1) == n * m - 6, 'beside the block')
  end do

contains

  real(8) function value(image, i, j)
    integer, intent(in) :: image, i, j
    value = image + i / 16d0 + j / 256d0
  end function
end program
