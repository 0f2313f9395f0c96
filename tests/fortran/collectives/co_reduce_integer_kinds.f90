!> co_reduce of integers of kinds 1, 2, 8 and 16: scalars and arrays, on all images and on one.
program co_reduce_integer_kinds
  use checks
  implicit none
  integer(1) :: a1, v1(5)
  integer(2) :: a2, v2(300)
  integer(8) :: a8, v8(3)
  integer(16) :: a16, v16(40)
  integer :: me, n, i

  me = this_image(); n = num_images()
  a1 = int(me, 1); a2 = int(me, 2); a8 = me; a16 = me
  call co_reduce(a1, larger_1)
  call co_reduce(a2, larger_2)
  call co_reduce(a8, larger_8)
  call co_reduce(a16, larger_16)
  call require(a1 == n .and. a2 == n .and. a8 == n .and. a16 == n, 'scalars')
  v1 = [(int(me * i, 1), i = 1, 5)]
  v2 = [(int(-me * i, 2), i = 1, 300)]
  v8 = [(10000000000_8 * me * i, i = 1, 3)]
  v16 = [(10_16**30 * me + i, i = 1, 40)]
  call co_reduce(v1, larger_1, result_image=n)
  call co_reduce(v2, larger_2)
  call co_reduce(v8, larger_8, result_image=1)
  call co_reduce(v16, larger_16)
  if (me == n) call require(all(v1 == [(int(n * i, 1), i = 1, 5)]), 'integer(1) array')
  call require(all(v2 == [(int(-i, 2), i = 1, 300)]), 'integer(2) array')
  if (me == 1) call require(all(v8 == [(10000000000_8 * n * i, i = 1, 3)]), 'integer(8) array')
  call require(all(v16 == [(10_16**30 * n + i, i = 1, 40)]), 'integer(16) array')

contains

  pure integer(1) function larger_1(a, b)
    integer(1), intent(in) :: a, b
    larger_1 = max(a, b)
  end function

  pure integer(2) function larger_2(a, b)
    integer(2), intent(in) :: a, b
    larger_2 = max(a, b)
  end function

  pure integer(8) function larger_8(a, b)
    integer(8), intent(in) :: a, b
    larger_8 = max(a, b)
  end function

  pure integer(16) function larger_16(a, b)
    integer(16), intent(in) :: a, b
    larger_16 = max(a, b)
  end function
end program
