!> co_sum of integers of kinds 1, 2, 4, 8 and 16: scalars, arrays of 0 to 1000 elements, on all images and on one.
program co_sum_integers
  use checks
  implicit none
  integer, parameter :: sizes(4) = [0, 1, 7, 1000]
  integer :: me, n, total, s

  me = this_image(); n = num_images(); total = n * (n + 1) / 2
  do s = 1, size(sizes)
    call integers_1(sizes(s))
    call integers_2(sizes(s))
    call integers_4(sizes(s))
    call integers_8(sizes(s))
    call integers_16(sizes(s))
  end do

contains

  subroutine integers_1(length)
    integer, intent(in) :: length
    integer(1) :: x, a(length)
    integer :: i

    x = int(me, 1); a = [(int(me * (mod(i, 5) - 2), 1), i = 1, length)]
    call co_sum(x)
    call require(x == total, 'integer(1)')
    call co_sum(a)
    call require(all(a == [(int(total * (mod(i, 5) - 2), 1), i = 1, length)]), 'integer(1) array')
    x = int(me, 1); a = [(int(me * (mod(i, 5) - 2), 1), i = 1, length)]
    call co_sum(x, result_image=n)
    call co_sum(a, result_image=1)
    if (me == n) call require(x == total, 'integer(1) on the last image')
    if (me == 1) call require(all(a == [(int(total * (mod(i, 5) - 2), 1), i = 1, length)]), &
                              'integer(1) array on the first image')
  end subroutine

  subroutine integers_2(length)
    integer, intent(in) :: length
    integer(2) :: x, a(length)
    integer :: i

    x = int(me, 2); a = [(int(me * (mod(i, 5) - 2), 2), i = 1, length)]
    call co_sum(x)
    call require(x == total, 'integer(2)')
    call co_sum(a)
    call require(all(a == [(int(total * (mod(i, 5) - 2), 2), i = 1, length)]), 'integer(2) array')
    x = int(me, 2); a = [(int(me * (mod(i, 5) - 2), 2), i = 1, length)]
    call co_sum(x, result_image=n)
    call co_sum(a, result_image=1)
    if (me == n) call require(x == total, 'integer(2) on the last image')
    if (me == 1) call require(all(a == [(int(total * (mod(i, 5) - 2), 2), i = 1, length)]), &
                              'integer(2) array on the first image')
  end subroutine

  subroutine integers_4(length)
    integer, intent(in) :: length
    integer(4) :: x, a(length)
    integer :: i

    x = int(me, 4); a = [(int(me * (mod(i, 5) - 2), 4), i = 1, length)]
    call co_sum(x)
    call require(x == total, 'integer(4)')
    call co_sum(a)
    call require(all(a == [(int(total * (mod(i, 5) - 2), 4), i = 1, length)]), 'integer(4) array')
    x = int(me, 4); a = [(int(me * (mod(i, 5) - 2), 4), i = 1, length)]
    call co_sum(x, result_image=n)
    call co_sum(a, result_image=1)
    if (me == n) call require(x == total, 'integer(4) on the last image')
    if (me == 1) call require(all(a == [(int(total * (mod(i, 5) - 2), 4), i = 1, length)]), &
                              'integer(4) array on the first image')
  end subroutine

  subroutine integers_8(length)
    integer, intent(in) :: length
    integer(8) :: x, a(length)
    integer :: i

    x = int(me, 8); a = [(int(me * (mod(i, 5) - 2), 8), i = 1, length)]
    call co_sum(x)
    call require(x == total, 'integer(8)')
    call co_sum(a)
    call require(all(a == [(int(total * (mod(i, 5) - 2), 8), i = 1, length)]), 'integer(8) array')
    x = int(me, 8); a = [(int(me * (mod(i, 5) - 2), 8), i = 1, length)]
    call co_sum(x, result_image=n)
    call co_sum(a, result_image=1)
    if (me == n) call require(x == total, 'integer(8) on the last image')
    if (me == 1) call require(all(a == [(int(total * (mod(i, 5) - 2), 8), i = 1, length)]), &
                              'integer(8) array on the first image')
  end subroutine

  subroutine integers_16(length)
    integer, intent(in) :: length
    integer(16) :: x, a(length)
    integer :: i

    x = int(me, 16); a = [(int(me * (mod(i, 5) - 2), 16), i = 1, length)]
    call co_sum(x)
    call require(x == total, 'integer(16)')
    call co_sum(a)
    call require(all(a == [(int(total * (mod(i, 5) - 2), 16), i = 1, length)]), 'integer(16) array')
    x = int(me, 16); a = [(int(me * (mod(i, 5) - 2), 16), i = 1, length)]
    call co_sum(x, result_image=n)
    call co_sum(a, result_image=1)
    if (me == n) call require(x == total, 'integer(16) on the last image')
    if (me == 1) call require(all(a == [(int(total * (mod(i, 5) - 2), 16), i = 1, length)]), &
                              'integer(16) array on the first image')
  end subroutine
end program
