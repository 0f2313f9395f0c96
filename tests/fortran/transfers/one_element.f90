!> Sections of one element, with bounds known to the compiler and not, of rows and columns. (gfortran 15 and 16 do not pack
!> the first kind, and their accessors believe it was.)
program one_element
  use checks
  implicit none
  type box
    integer(8), allocatable :: x(:, :)
  end type
  integer :: a(6)[*], b(4, 5)[*], m(4, 3, 2), got(3, 3), me, next, prev, i, k
  type(box) :: c[*]

  me = this_image(); next = right_of(me); prev = left_of(me)
  k = min(1, num_images())
  m = reshape([(100 * me + i, i = 1, 24)], shape(m))
  a = 0; b = 0
  allocate (c%x(3, 3))
  c%x = 0
  sync all
  a(2:2)[next] = m(4, 2:2, 1)
  a(3:3)[next] = m(4, 2, 2:2)
  a(5:4 + k)[next] = m(3, 2:1 + k, 1)
  b(3:3, 2:2)[next] = m(2, 3:3, 1:1)
  b(4, 2:4)[next] = m(2, 1, 2) + [0, 1, 2]
  b(1, 1:5:4)[next] = m(1, 1:3:2, 2)
  c[next]%x(2, 3:3) = m(4, 3:3, 2)
  c[next]%x(1:1, 1) = m(2:2, 3, 2)
  sync all
  m = reshape([(100 * prev + i, i = 1, 24)], shape(m))
  call require(all(a == [0, m(4, 2, 1), m(4, 2, 2), 0, m(3, 2, 1), 0]), 'puts to a vector')
  call require(b(3, 2) == m(2, 3, 1) .and. all(b(4, 2:4) == m(2, 1, 2) + [0, 1, 2]), 'puts to a matrix')
  call require(all(b(1, 1:5:4) == m(1, 1:3:2, 2)) .and. count(b /= 0) == 6, 'puts of rows')
  call require(c%x(2, 3) == m(4, 3, 2) .and. c%x(1, 1) == m(2, 3, 2) .and. count(c%x /= 0) == 2, 'puts to a component')
  sync all
  b = reshape([(100 * me + i, i = 1, 20)], shape(b))
  sync all
  got = 0
  got(2:2, 3) = b(4, 5:5)[next]
  got(3, 1:1) = b(2:1 + k, 3)[next]
  got(1, 2:1 + k) = b(3, 2:2)[next]
  call require(all(got == reshape([0, 0, 100 * next + 10, 100 * next + 7, 0, 0, 0, 100 * next + 20, 0], [3, 3])), 'gets')
end program
