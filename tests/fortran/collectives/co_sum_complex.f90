!> co_sum of complex of kinds 4 and 8: scalars, arrays of 0 to 1000 elements, on all images and on one.
program co_sum_complex
  use checks
  implicit none
  integer, parameter :: sizes(4) = [0, 1, 7, 1000]
  integer :: me, n, total, s

  me = this_image(); n = num_images(); total = n * (n + 1) / 2
  do s = 1, size(sizes)
    call complex_4(sizes(s))
    call complex_8(sizes(s))
  end do

contains

  subroutine complex_4(length)
    integer, intent(in) :: length
    complex(4) :: x, a(length)
    integer :: i

    x = cmplx(me, -2 * me, 4); a = [(cmplx(me * mod(i, 5), me, 4), i = 1, length)]
    call co_sum(x)
    call require(x == cmplx(total, -2 * total, 4), 'complex(4)')
    call co_sum(a)
    call require(all(a == [(cmplx(total * mod(i, 5), total, 4), i = 1, length)]), 'complex(4) array')
    x = cmplx(me, -2 * me, 4); a = [(cmplx(me * mod(i, 5), me, 4), i = 1, length)]
    call co_sum(x, result_image=n)
    call co_sum(a, result_image=1)
    if (me == n) call require(x == cmplx(total, -2 * total, 4), 'complex(4) on the last image')
    if (me == 1) call require(all(a == [(cmplx(total * mod(i, 5), total, 4), i = 1, length)]), &
                              'complex(4) array on the first image')
  end subroutine

  subroutine complex_8(length)
    integer, intent(in) :: length
    complex(8) :: x, a(length)
    integer :: i

    x = cmplx(me, -2 * me, 8); a = [(cmplx(me * mod(i, 5), me, 8), i = 1, length)]
    call co_sum(x)
    call require(x == cmplx(total, -2 * total, 8), 'complex(8)')
    call co_sum(a)
    call require(all(a == [(cmplx(total * mod(i, 5), total, 8), i = 1, length)]), 'complex(8) array')
    x = cmplx(me, -2 * me, 8); a = [(cmplx(me * mod(i, 5), me, 8), i = 1, length)]
    call co_sum(x, result_image=n)
    call co_sum(a, result_image=1)
    if (me == n) call require(x == cmplx(total, -2 * total, 8), 'complex(8) on the last image')
    if (me == 1) call require(all(a == [(cmplx(total * mod(i, 5), total, 8), i = 1, length)]), &
                              'complex(8) array on the first image')
  end subroutine
end program
