!> Real and imaginary parts of coindexed complex objects.
program complex_parts
  use checks
  implicit none
  complex(8) :: z(4)[*]
  real(8) :: got
  integer :: me, next, prev, i

  me = this_image(); next = right_of(me); prev = left_of(me)
  z = [(cmplx(i, 10 * me + i, 8), i = 1, 4)]
  sync all
  got = z(3)[next]%im
  call require(got == 10 * next + 3, 'get of an imaginary part')
  got = z(4)[next]%re
  call require(got == 4, 'get of a real part')
  sync all
  z(2)[next]%re = -me
  z(3)[next]%im = 0.5d0
  sync all
  call require(z(2) == cmplx(-prev, 10 * me + 2, 8), 'put of a real part')
  call require(z(3) == cmplx(3, 0.5d0, 8), 'put of an imaginary part')
  call require(z(1) == cmplx(1, 10 * me + 1, 8) .and. z(4) == cmplx(4, 10 * me + 4, 8), 'beside the parts')
end program
