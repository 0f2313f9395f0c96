!> All images get the same result of co_reduce, bit for bit, also where rounding depends on the order of the operations.
program co_reduce_same_everywhere
  use checks
  implicit none
  real(8) :: a(200), same(200)
  real(4) :: x, first
  integer :: me, k, i

  me = this_image()
  do k = 1, 5
    a = [(1d0 / (i + 13 * me + k), i = 1, 200)]
    call co_reduce(a, add)
    same = a
    call co_broadcast(same, 1)
    call require(all(transfer(a, [1_8]) == transfer(same, [1_8])), 'array')
    x = 1.0 / (me + k)
    call co_reduce(x, add_4)
    first = x
    call co_broadcast(first, num_images())
    call require(transfer(x, 1) == transfer(first, 1), 'scalar')
  end do

contains

  pure real(8) function add(p, q)
    real(8), intent(in) :: p, q
    add = p + q
  end function

  pure real(4) function add_4(p, q)
    real(4), intent(in) :: p, q
    add_4 = p + q
  end function
end program
