!> co_reduce of reals of kinds 10 and 16 and of complex of kinds 10 and 16: nothing of their precision is lost.
program co_reduce_real_kinds
  use checks
  implicit none
  real(kind10) :: a10, v10(7)
  real(16) :: a16, v16(7)
  complex(kind10) :: z10, w10(3)
  complex(16) :: z16, w16(3)
  integer :: me, n, i

  me = this_image(); n = num_images()
  a10 = 1 + me * epsilon(a10); a16 = 1 + me * epsilon(a16)
  call co_reduce(a10, larger_10)
  call co_reduce(a16, larger_16)
  call require(a10 == 1 + n * epsilon(a10), 'real(10)')
  call require(a16 == 1 + n * epsilon(a16), 'real(16)')
  v10 = [(i + me * epsilon(a10) * 8, i = 1, 7)]
  v16 = [(i + me * epsilon(a16) * 8, i = 1, 7)]
  call co_reduce(v10, larger_10, result_image=n)
  call co_reduce(v16, larger_16)
  if (me == n) call require(all(v10 == [(i + n * epsilon(a10) * 8, i = 1, 7)]), 'real(10) array')
  call require(all(v16 == [(i + n * epsilon(a16) * 8, i = 1, 7)]), 'real(16) array')
  z10 = (0, 1); z16 = (0, -1)
  call co_reduce(z10, times_10)
  call co_reduce(z16, times_16)
  call require(z10 == (0._kind10, 1._kind10)**n, 'complex(10)')
  call require(z16 == (0._16, -1._16)**n, 'complex(16)')
  w10 = [(cmplx(i, 0, kind10), i = 1, 3)]
  w16 = [(cmplx(0, i, 16), i = 1, 3)]
  call co_reduce(w10, times_10)
  call co_reduce(w16, times_16, result_image=1)
  call require(all(w10 == [(cmplx(i, 0, kind10)**n, i = 1, 3)]), 'complex(10) array')
  if (me == 1) call require(all(w16 == [(real(i, 16)**n * (0._16, 1._16)**n, i = 1, 3)]), 'complex(16) array')

contains

  pure real(kind10) function larger_10(a, b)
    real(kind10), intent(in) :: a, b
    larger_10 = max(a, b)
  end function

  pure real(16) function larger_16(a, b)
    real(16), intent(in) :: a, b
    larger_16 = max(a, b)
  end function

  pure complex(kind10) function times_10(a, b)
    complex(kind10), intent(in) :: a, b
    times_10 = a * b
  end function

  pure complex(16) function times_16(a, b)
    complex(16), intent(in) :: a, b
    times_16 = a * b
  end function
end program
