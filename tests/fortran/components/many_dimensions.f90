!> Allocatable components of 7 and of 14 dimensions: elements, sections, whole arrays.
program many_dimensions
  use checks
  implicit none
  type t
    integer, allocatable :: a(:, :, :, :, :, :, :)
    integer, allocatable :: b(:, :, :, :, :, :, :, :, :, :, :, :, :, :)
  end type
  type(t) :: c[*]
  integer, allocatable :: whole(:, :, :, :, :, :, :), row(:)
  integer :: me, next, i, x

  me = this_image(); next = right_of(me)
  allocate (c%a(2, 1, 3, 2, 1, 2, 2), c%b(2, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3))
  c%a = reshape([(100 * me + i, i = 1, 48)], shape(c%a))
  c%b = reshape([(1000 * me + i, i = 1, 12)], shape(c%b))
  sync all
  whole = c[next]%a
  call require(all(shape(whole) == [2, 1, 3, 2, 1, 2, 2]), 'shape')
  call require(all(reshape(whole, [48]) == [(100 * next + i, i = 1, 48)]), 'whole')
  row = c[next]%a(2, 1, :, 2, 1, 2, 1)
  call require(all(row == 100 * next + [20, 22, 24]), 'section')
  x = c[next]%b(2, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3)
  call require_equal(x, 1000 * next + 12, 'last of 14')
  row = c[next]%b(1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3:1:-1)
  call require(all(row == 1000 * next + [11, 7, 3]), 'section of 14')
  sync all
  c[next]%a(:, 1, 2, 1, 1, 2, 2) = [-1, -2]
  sync all
  call require(all(c%a(:, 1, 2, 1, 1, 2, 2) == [-1, -2]) .and. count(c%a < 0) == 2, 'put')
end program
