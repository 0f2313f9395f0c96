!> co_min and co_max of reals of kind 10: scalars and arrays, on all images and on one.
program co_min_max_real10
  use checks
  implicit none
  integer, parameter :: sizes(4) = [0, 1, 7, 1000]
  integer :: me, n, s

  me = this_image(); n = num_images()
  do s = 1, size(sizes)
    call reals_10(sizes(s))
  end do

contains

  subroutine reals_10(length)
    integer, intent(in) :: length
    real(kind10) :: x, y, a(length), b(length)
    integer :: i

    x = -me / 2.0_kind10; y = x
    a = [((modulo(me + i, n) - 2) / 2.0_kind10, i = 1, length)]; b = a
    call co_min(x)
    call co_max(y)
    call co_min(a)
    call co_max(b)
    call require(x == -n / 2.0_kind10 .and. y == -1 / 2.0_kind10, 'real(10)')
    call require(all(a == -2 / 2.0_kind10) .and. all(b == (n - 3) / 2.0_kind10), 'real(10) array')
    x = me / 2.0_kind10; y = x
    call co_min(x, result_image=n)
    call co_max(y, result_image=1)
    if (me == n) call require(x == 1 / 2.0_kind10, 'real(10): minimum on the last image')
    if (me == 1) call require(y == n / 2.0_kind10, 'real(10): maximum on the first image')
  end subroutine
end program
