!> co_sum of complex of kind 10: scalars, arrays of 0 to 1000 elements, on all images and on one.
program co_sum_complex10
  use checks
  implicit none
  integer, parameter :: sizes(4) = [0, 1, 7, 1000]
  integer :: me, n, total, s

  me = this_image(); n = num_images(); total = n * (n + 1) / 2
  do s = 1, size(sizes)
    call complex_10(sizes(s))
  end do

contains

  subroutine complex_10(length)
    integer, intent(in) :: length
    complex(kind10) :: x, a(length)
    integer :: i

    x = cmplx(me, -2 * me, kind10); a = [(cmplx(me * mod(i, 5), me, kind10), i = 1, length)]
    call co_sum(x)
    call require(x == cmplx(total, -2 * total, kind10), 'complex(10)')
    call co_sum(a)
    call require(all(a == [(cmplx(total * mod(i, 5), total, kind10), i = 1, length)]), 'complex(10) array')
    x = cmplx(me, -2 * me, kind10); a = [(cmplx(me * mod(i, 5), me, kind10), i = 1, length)]
    call co_sum(x, result_image=n)
    call co_sum(a, result_image=1)
    if (me == n) call require(x == cmplx(total, -2 * total, kind10), 'complex(10) on the last image')
    if (me == 1) call require(all(a == [(cmplx(total * mod(i, 5), total, kind10), i = 1, length)]), &
                              'complex(10) array on the first image')
  end subroutine
end program
