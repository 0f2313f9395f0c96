!> co_reduce with the program's own operations on integers, reals, complex and logicals.
program co_reduce_numbers
  use checks
  implicit none
  integer, parameter :: sizes(4) = [0, 1, 7, 5000]
  integer :: me, n, s, i, k, x, got
  integer(8) :: wide
  real(8) :: product8, factorial
  real(4) :: r4
  complex(4) :: z4
  complex(8) :: z8
  logical :: parity, any_of
  integer, allocatable :: a(:)
  real(8), allocatable :: r(:)

  me = this_image(); n = num_images()
  x = ior(ishft(1, me), 1)
  got = x
  call co_reduce(got, either)
  call require_equal(got, 2**(n + 1) - 1, 'integer')
  wide = me * 10000000000_8
  call co_reduce(wide, larger)
  call require(wide == n * 10000000000_8, 'integer(8)')
  factorial = 1
  do k = 1, n
    factorial = factorial * k
  end do
  product8 = me
  call co_reduce(product8, times)
  call require(product8 == factorial, 'real(8)')
  product8 = me
  call co_reduce(product8, times, result_image=n)
  if (me == n) call require(product8 == factorial, 'real(8) on the last image')
  r4 = 2
  call co_reduce(r4, times4)
  call require(r4 == 2.0**n, 'real(4)')
  z4 = (0.0, 1.0)
  call co_reduce(z4, times_z4)
  call require(z4 == (0.0, 1.0)**n, 'complex(4)')
  z8 = (0d0, 1d0)
  call co_reduce(z8, times_z8)
  call require(z8 == (0d0, 1d0)**n, 'complex(8)')
  parity = .true.
  call co_reduce(parity, differ)
  call require(parity .eqv. mod(n, 2) == 1, 'logical')
  any_of = me == n
  call co_reduce(any_of, one_of)
  call require(any_of, 'logical, any')
  do s = 1, size(sizes)
    allocate (a(sizes(s)), source=[(ishft(1, me) + mod(i, 2), i = 1, sizes(s))])
    allocate (r(sizes(s)), source=[(1d0 + mod(i, 2), i = 1, sizes(s))])
    call co_reduce(a, either)
    call require(all(a == [(2**(n + 1) - 2 + mod(i, 2), i = 1, sizes(s))]), 'integer array')
    call co_reduce(r, times, result_image=1)
    if (me == 1) call require(all(r == [((1d0 + mod(i, 2))**n, i = 1, sizes(s))]), 'real(8) array')
    deallocate (a, r)
  end do

contains

  pure integer function either(a, b)
    integer, intent(in) :: a, b
    either = ior(a, b)
  end function

  pure integer(8) function larger(a, b)
    integer(8), intent(in), value :: a, b
    larger = max(a, b)
  end function

  pure real(8) function times(a, b)
    real(8), intent(in) :: a, b
    times = a * b
  end function

  pure real(4) function times4(a, b)
    real(4), intent(in) :: a, b
    times4 = a * b
  end function

  pure complex(4) function times_z4(a, b)
    complex(4), intent(in) :: a, b
    times_z4 = a * b
  end function

  pure complex(8) function times_z8(a, b)
    complex(8), intent(in) :: a, b
    times_z8 = a * b
  end function

  pure logical function differ(a, b)
    logical, intent(in) :: a, b
    differ = a .neqv. b
  end function

  pure logical function one_of(a, b)
    logical, intent(in) :: a, b
    one_of = a .or. b
  end function
end program
