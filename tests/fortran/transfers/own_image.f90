!> A coindexed object of the executing image is its own variable: every form of access gives the same.
program own_image
  use checks
  implicit none
  type t
    integer :: i
    character(3) :: s
  end type
  integer :: a(5)[*], x[2, *]
  type(t) :: o(2)[*]
  integer, allocatable :: b(:)[:]
  integer :: me, i, cosub(2)

  me = this_image()
  allocate (b(3)[0:*])
  a = [1, 2, 3, 4, 5]; x = me; b = 0
  a(2:3)[me] = a(4:5)
  call require(all(a == [1, 4, 5, 4, 5]), 'put')
  a(5)[me] = -1
  call require(a(5) == -1 .and. a(5)[me] == -1, 'element')
  do i = 1, 4
    a(i + 1)[me] = a(i)[me] + 1
  end do
  call require(all(a == [1, 2, 3, 4, 5]), 'chain')
  cosub = this_image(x)
  x[cosub(1), cosub(2)] = 77
  call require_equal(x, 77, 'cosubscripts')
  b(2)[me - 1] = 9
  call require(all(b == [0, 9, 0]), 'allocatable')
  o(2)[me] = t(5, 'abc')
  o(1)%s = 'xyz'
  o(1)[me]%i = o(2)[me]%i
  call require(o(1)%i == 5 .and. o(1)%s == 'xyz' .and. o(2)%s == 'abc', 'derived type')
  a(5:1:-1)[me] = a
  call require(all(a == [5, 4, 3, 2, 1]), 'reversed in place')
end program
