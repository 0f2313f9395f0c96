!> co_reduce of logicals of kinds 1, 2, 4, 8 and 16 with .and., .or. and .neqv.
program co_reduce_logicals
  use checks
  implicit none
  logical(1) :: l1, v1(6)
  logical(2) :: l2
  logical(4) :: l4
  logical(8) :: l8, v8(3)
  logical(16) :: l16
  integer :: me, n, i

  me = this_image(); n = num_images()
  l1 = me /= n
  call co_reduce(l1, all_1)
  call require(.not. logical(l1), 'logical(1)')
  l2 = .true.
  call co_reduce(l2, odd_2)
  call require(logical(l2) .eqv. mod(n, 2) == 1, 'logical(2)')
  l4 = me == 1
  call co_reduce(l4, any_4, result_image=n)
  if (me == n) call require(l4, 'logical(4)')
  l8 = me == n
  call co_reduce(l8, any_8)
  call require(logical(l8), 'logical(8)')
  l16 = .true.
  call co_reduce(l16, all_16)
  call require(logical(l16), 'logical(16)')
  v1 = [(mod(me, i) == 0, i = 1, 6)]
  call co_reduce(v1, all_1)
  call require(all(logical(v1) .eqv. [(i == 1, i = 1, 6)]), 'logical(1) array')
  v8 = [me > n, me == 1, me <= n]
  call co_reduce(v8, any_8)
  call require(all(logical(v8) .eqv. [.false., .true., .true.]), 'logical(8) array')

contains

  pure logical(1) function all_1(a, b)
    logical(1), intent(in) :: a, b
    all_1 = a .and. b
  end function

  pure logical(2) function odd_2(a, b)
    logical(2), intent(in) :: a, b
    odd_2 = a .neqv. b
  end function

  pure logical(4) function any_4(a, b)
    logical(4), intent(in) :: a, b
    any_4 = a .or. b
  end function

  pure logical(8) function any_8(a, b)
    logical(8), intent(in) :: a, b
    any_8 = a .or. b
  end function

  pure logical(16) function all_16(a, b)
    logical(16), intent(in) :: a, b
    all_16 = a .and. b
  end function
end program
