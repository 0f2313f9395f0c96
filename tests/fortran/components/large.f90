!> Components of hundreds of kilobytes, and of very many elements that lie apart.
program large
  use checks
  implicit none
  integer, parameter :: n = 60000
  type t
    real(8), allocatable :: v(:)
    integer(2), allocatable :: m(:, :)
  end type
  type(t) :: c[*]
  real(8), allocatable :: got(:)
  integer(2), allocatable :: column(:)
  integer :: me, next, prev, i

  me = this_image(); next = right_of(me); prev = left_of(me)
  allocate (c%v(n), c%m(300, 200))
  c%v = [(real(me, 8) * i, i = 1, n)]
  c%m = int(me, 2)
  sync all
  got = c[next]%v
  call require(size(got) == n .and. all(got == [(real(next, 8) * i, i = 1, n)]), 'whole')
  got = c[next]%v(n:1:-7)
  call require(all(got == [(real(next, 8) * i, i = n, 1, -7)]), 'every seventh')
  column = c[next]%m(17, :)
  call require(size(column) == 200 .and. all(column == next), 'row of a matrix')
  sync all
  c[next]%v(:) = got(1)
  c[next]%m(2:300:2, :) = -1_2
  sync all
  call require(all(c%v == real(me, 8) * n), 'put of a scalar to all')
  call require(all(c%m(2::2, :) == -1) .and. all(c%m(1::2, :) == me), 'put of every second row')
end program
