!> Real and imaginary parts of coindexed complex objects.
program complex_parts
  use checks
  implicit none
  complex(8) :: z(4)[*]
  real(8) :: got(4)
  integer :: me, next, prev, i

  me = this_image(); next = right_of(me); prev = left_of(me)
  z = [(cmplx(i, 10 * me + i, 8), i = 1, 4)]
  sync all
  got = z(:)[next]%im
  call require(all(got == [(10 * next + i, i = 1, 4)]), 'get of imaginary parts')
  got(1:2) = z(1:4:3)[next]%re
  call require(all(got(1:2) == [1, 4]), 'get of real parts')
  sync all
  z(2)[next]%re = -me
  z(3:4)[next]%im = [0.5d0, 1.5d0]
  sync all
  call require(z(2) == cmplx(-prev, 10 * me + 2, 8), 'put of a real part')
  call require(z(3) == cmplx(3, 0.5d0, 8) .and. z(4) == cmplx(4, 1.5d0, 8), 'put of imaginary parts')
end program
