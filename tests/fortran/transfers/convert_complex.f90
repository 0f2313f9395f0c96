!> Puts and gets between complex of all kinds, and between real or integer and complex.
program convert_complex
  use checks
  implicit none
  complex(4) :: z4(3, 5)[*], l4(3)
  complex(8) :: z8(3, 5)[*], l8(3)
  complex(kind10) :: z10(3, 5)[*], l10(3)
  complex(16) :: z16(3, 5)[*], l16(3)
  real(8) :: r(3, 3)[*], x(3)
  integer :: n(3, 3)[*], k(3), me, next, prev

  me = this_image(); next = right_of(me); prev = left_of(me)
  call values(me)
  z4 = 0; z8 = 0; z10 = 0; z16 = 0; r = 0; n = 0
  sync all
  z4(:, 1)[next] = l8; z4(:, 2)[next] = l10; z4(:, 3)[next] = l16; z4(:, 4)[next] = x; z4(:, 5)[next] = k
  z8(:, 1)[next] = l4; z8(:, 2)[next] = l10; z8(:, 3)[next] = l16; z8(:, 4)[next] = x; z8(:, 5)[next] = k
  z10(:, 1)[next] = l4; z10(:, 2)[next] = l8; z10(:, 3)[next] = l16; z10(:, 4)[next] = x; z10(:, 5)[next] = k
  z16(:, 1)[next] = l4; z16(:, 2)[next] = l8; z16(:, 3)[next] = l10; z16(:, 4)[next] = x; z16(:, 5)[next] = k
  ! To real and integer: the imaginary part is dropped.
  r(:, 1)[next] = l4; r(:, 2)[next] = l8; r(:, 3)[next] = l16
  n(:, 1)[next] = l4; n(:, 2)[next] = l8; n(:, 3)[next] = l16
  sync all
  call values(prev)
  call require(all(z4(:, 1) == l4) .and. all(z4(:, 2) == l4) .and. all(z4(:, 3) == l4), 'to complex(4)')
  call require(all(z8(:, 1) == l4) .and. all(z8(:, 2) == l8) .and. all(z8(:, 3) == l8), 'to complex(8)')
  call require(all(z10(:, 1) == l4) .and. all(z10(:, 2) == l8) .and. all(z10(:, 3) == l10), 'to complex(10)')
  call require(all(z16(:, 1) == l4) .and. all(z16(:, 2) == l8) .and. all(z16(:, 3) == l10), 'to complex(16)')
  call require(all(z4(:, 4) == real(x, 4)) .and. all(z8(:, 4) == x) .and. all(z10(:, 4) == x) &
               .and. all(z16(:, 4) == x), 'from real(8)')
  call require(all(z4(:, 5) == k) .and. all(z8(:, 5) == k) .and. all(z10(:, 5) == k) .and. all(z16(:, 5) == k), &
               'from integer')
  call require(all(r(:, 1) == real(l4)) .and. all(r(:, 2) == real(l8)) .and. all(r(:, 3) == real(l16, 8)), &
               'to real(8)')
  call require(all(n(:, 1) == int(l4)) .and. all(n(:, 2) == int(l8)) .and. all(n(:, 3) == int(l16)), 'to integer')
  call values(me)
  l16 = z4(:, 1)[next]; call require(all(l16 == l4), 'get 4 to 16')
  l4 = z8(:, 2)[next]; call require(all(l4 == cmplx(l8, kind=4)), 'get 8 to 4')
  x = z8(:, 2)[next]; call require(all(x == real(l8)), 'get complex(8) to real(8)')
  l8 = r(:, 2)[next]; call require(all(l8 == real(l8)), 'get real(8) to complex(8)')

contains

  subroutine values(image)
    integer, intent(in) :: image
    l16 = [cmplx(1, -2, 16), cmplx(1, 1, 16) / 3.0_16, cmplx(image, 0.5, 16)]
    l10 = cmplx(l16, kind=kind10); l8 = cmplx(l16, kind=8); l4 = cmplx(l16, kind=4)
    x = [0.1d0, -3.5d0, 1d0 * image]; k = [0, -17, image]
  end subroutine
end program
