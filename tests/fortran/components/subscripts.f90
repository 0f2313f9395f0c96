!> All forms of subscripts of array components with bounds of their own, fixed and allocatable; put and get.
program subscripts
  use checks
  implicit none
  type t
    integer, allocatable :: a(:, :)
    integer :: f(2:5, -1:1) = 0
  end type
  type(t), allocatable :: c(:)[:]
  integer, allocatable :: b(:), p(:, :)
  integer :: me, next, i, k

  me = this_image(); next = right_of(me)
  allocate (c(3:4)[*])
  allocate (c(4)%a(0:3, 2:4))
  c(4)%a = reshape([(100*me + i, i=1, 12)], [4, 3])
  c(4)%f = reshape([(1000*me + i, i=1, 12)], [4, 3])
  sync all
  k = c(4)[next]%a(3, 4)
  call require_equal(k, 100*next + 12, 'last element')
  k = c(4)[next]%a(0, 2)
  call require_equal(k, 100*next + 1, 'first element')
  k = c(4)[next]%f(5, -1)
  call require_equal(k, 1000*next + 4, 'fixed element')
  b = c(4)[next]%a(:, 3)
  call require(all(b == 100*next + [5, 6, 7, 8]), 'column')
  b = c(4)[next]%a(2, :)
  call require(all(b == 100*next + [3, 7, 11]), 'row')
  b = c(4)[next]%a(1:, 4)
  call require(all(b == 100*next + [10, 11, 12]), 'open end')
  b = c(4)[next]%a(:1, 4)
  call require(all(b == 100*next + [9, 10]), 'open start')
  b = c(4)[next]%a(::3, 2)
  call require(all(b == 100*next + [1, 4]), 'stride alone')
  b = c(4)[next]%a(3:0:-2, 2)
  call require(all(b == 100*next + [4, 2]), 'backwards')
  p = c(4)[next]%a(1:2, 4:2:-2)
  call require(all(p == 100*next + reshape([10, 11, 2, 3], [2, 2])), 'two ranges')
  b = c(4)[next]%f(3:5:2, 0)
  call require(all(b == 1000*next + [6, 8]), 'fixed range')
  p = c(4)[next]%f(:, 0:1)
  call require(all(p == 1000*next + reshape([(i, i=5, 12)], [4, 2])), 'fixed columns')
  sync all
  c(4)[next]%a(1, 3) = -1
  c(4)[next]%a(2:3, 2) = [-2, -3]
  c(4)[next]%a(0, :) = -4
  c(4)[next]%f(4, 1) = -5
  sync all
  call require(all(c(4)%a(0, :) == -4) .and. all(c(4)%a(1:3, 2) == [100*me + 2, -2, -3]), 'put')
  call require(all(c(4)%a(1:3, 3) == [-1, 100*me + 7, 100*me + 8]), 'put of an element')
  call require(c(4)%f(4, 1) == -5 .and. count(c(4)%f == -5) == 1, 'put of a fixed element')
  sync all
  deallocate (c)
end program
