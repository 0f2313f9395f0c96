!> co_sum of reals of kind 10: scalars, arrays of 0 to 1000 elements, on all images and on one.
program co_sum_real10
  use checks
  implicit none
  integer, parameter :: sizes(4) = [0, 1, 7, 1000]
  integer :: me, n, total, s

  me = this_image(); n = num_images(); total = n * (n + 1) / 2
  do s = 1, size(sizes)
    call reals_10(sizes(s))
  end do

contains

  subroutine reals_10(length)
    integer, intent(in) :: length
    real(kind10) :: x, a(length)
    integer :: i

    x = 0.5_kind10 * me; a = [(real(me * mod(i, 5), kind10) / 4, i = 1, length)]
    call co_sum(x)
    call require(x == 0.5_kind10 * total, 'real(10)')
    call co_sum(a)
    call require(all(a == [(real(total * mod(i, 5), kind10) / 4, i = 1, length)]), 'real(10) array')
    x = 0.5_kind10 * me; a = [(real(me * mod(i, 5), kind10) / 4, i = 1, length)]
    call co_sum(x, result_image=n)
    call co_sum(a, result_image=1)
    if (me == n) call require(x == 0.5_kind10 * total, 'real(10) on the last image')
    if (me == 1) call require(all(a == [(real(total * mod(i, 5), kind10) / 4, i = 1, length)]), &
                              'real(10) array on the first image')
  end subroutine
end program
