!> co_sum of reals of kind 16: scalars, arrays of 0 to 1000 elements, on all images and on one.
program co_sum_real16
  use checks
  implicit none
  integer, parameter :: sizes(4) = [0, 1, 7, 1000]
  integer :: me, n, total, s

  me = this_image(); n = num_images(); total = n * (n + 1) / 2
  do s = 1, size(sizes)
    call reals_16(sizes(s))
  end do

contains

  subroutine reals_16(length)
    integer, intent(in) :: length
    real(16) :: x, a(length)
    integer :: i

    x = 0.5_16 * me; a = [(real(me * mod(i, 5), 16) / 4, i = 1, length)]
    call co_sum(x)
    call require(x == 0.5_16 * total, 'real(16)')
    call co_sum(a)
    call require(all(a == [(real(total * mod(i, 5), 16) / 4, i = 1, length)]), 'real(16) array')
    x = 0.5_16 * me; a = [(real(me * mod(i, 5), 16) / 4, i = 1, length)]
    call co_sum(x, result_image=n)
    call co_sum(a, result_image=1)
    if (me == n) call require(x == 0.5_16 * total, 'real(16) on the last image')
    if (me == 1) call require(all(a == [(real(total * mod(i, 5), 16) / 4, i = 1, length)]), &
                              'real(16) array on the first image')
  end subroutine
end program
