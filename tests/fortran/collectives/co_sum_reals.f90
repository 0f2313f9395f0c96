!> co_sum of reals of kinds 4 and 8: scalars, arrays of 0 to 1000 elements, on all images and on one.
program co_sum_reals
  use checks
  implicit none
  integer, parameter :: sizes(4) = [0, 1, 7, 1000]
  integer :: me, n, total, s

  me = this_image(); n = num_images(); total = n * (n + 1) / 2
  do s = 1, size(sizes)
    call reals_4(sizes(s))
    call reals_8(sizes(s))
  end do

contains

  subroutine reals_4(length)
    integer, intent(in) :: length
    real(4) :: x, a(length)
    integer :: i

    x = 0.5_4 * me; a = [(real(me * mod(i, 5), 4) / 4, i = 1, length)]
    call co_sum(x)
    call require(x == 0.5_4 * total, 'real(4)')
    call co_sum(a)
    call require(all(a == [(real(total * mod(i, 5), 4) / 4, i = 1, length)]), 'real(4) array')
    x = 0.5_4 * me; a = [(real(me * mod(i, 5), 4) / 4, i = 1, length)]
    call co_sum(x, result_image=n)
    call co_sum(a, result_image=1)
    if (me == n) call require(x == 0.5_4 * total, 'real(4) on the last image')
    if (me == 1) call require(all(a == [(real(total * mod(i, 5), 4) / 4, i = 1, length)]), &
                              'real(4) array on the first image')
  end subroutine

  subroutine reals_8(length)
    integer, intent(in) :: length
    real(8) :: x, a(length)
    integer :: i

    x = 0.5_8 * me; a = [(real(me * mod(i, 5), 8) / 4, i = 1, length)]
    call co_sum(x)
    call require(x == 0.5_8 * total, 'real(8)')
    call co_sum(a)
    call require(all(a == [(real(total * mod(i, 5), 8) / 4, i = 1, length)]), 'real(8) array')
    x = 0.5_8 * me; a = [(real(me * mod(i, 5), 8) / 4, i = 1, length)]
    call co_sum(x, result_image=n)
    call co_sum(a, result_image=1)
    if (me == n) call require(x == 0.5_8 * total, 'real(8) on the last image')
    if (me == 1) call require(all(a == [(real(total * mod(i, 5), 8) / 4, i = 1, length)]), &
                              'real(8) array on the first image')
  end subroutine
end program
