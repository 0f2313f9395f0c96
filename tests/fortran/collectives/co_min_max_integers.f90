!> co_min and co_max of integers of kinds 1, 2, 4, 8 and 16: scalars and arrays, on all images and on one.
program co_min_max_integers
  use checks
  implicit none
  integer, parameter :: sizes(4) = [0, 1, 7, 1000]
  integer :: me, n, s

  me = this_image(); n = num_images()
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
    integer(1) :: x, y, a(length), b(length)
    integer :: i

    x = int(-me, 1); y = x
    a = [(int((modulo(me + i, n) - 2), 1), i = 1, length)]; b = a
    call co_min(x)
    call co_max(y)
    call co_min(a)
    call co_max(b)
    call require(x == int(-n, 1) .and. y == int(-1, 1), 'integer(1)')
    call require(all(a == int(-2, 1)) .and. all(b == int((n - 3), 1)), 'integer(1) array')
    x = int(me, 1); y = x
    call co_min(x, result_image=n)
    call co_max(y, result_image=1)
    if (me == n) call require(x == int(1, 1), 'integer(1): minimum on the last image')
    if (me == 1) call require(y == int(n, 1), 'integer(1): maximum on the first image')
  end subroutine

  subroutine integers_2(length)
    integer, intent(in) :: length
    integer(2) :: x, y, a(length), b(length)
    integer :: i

    x = int(-me, 2); y = x
    a = [(int((modulo(me + i, n) - 2), 2), i = 1, length)]; b = a
    call co_min(x)
    call co_max(y)
    call co_min(a)
    call co_max(b)
    call require(x == int(-n, 2) .and. y == int(-1, 2), 'integer(2)')
    call require(all(a == int(-2, 2)) .and. all(b == int((n - 3), 2)), 'integer(2) array')
    x = int(me, 2); y = x
    call co_min(x, result_image=n)
    call co_max(y, result_image=1)
    if (me == n) call require(x == int(1, 2), 'integer(2): minimum on the last image')
    if (me == 1) call require(y == int(n, 2), 'integer(2): maximum on the first image')
  end subroutine

  subroutine integers_4(length)
    integer, intent(in) :: length
    integer(4) :: x, y, a(length), b(length)
    integer :: i

    x = int(-me, 4); y = x
    a = [(int((modulo(me + i, n) - 2), 4), i = 1, length)]; b = a
    call co_min(x)
    call co_max(y)
    call co_min(a)
    call co_max(b)
    call require(x == int(-n, 4) .and. y == int(-1, 4), 'integer(4)')
    call require(all(a == int(-2, 4)) .and. all(b == int((n - 3), 4)), 'integer(4) array')
    x = int(me, 4); y = x
    call co_min(x, result_image=n)
    call co_max(y, result_image=1)
    if (me == n) call require(x == int(1, 4), 'integer(4): minimum on the last image')
    if (me == 1) call require(y == int(n, 4), 'integer(4): maximum on the first image')
  end subroutine

  subroutine integers_8(length)
    integer, intent(in) :: length
    integer(8) :: x, y, a(length), b(length)
    integer :: i

    x = int(-me, 8); y = x
    a = [(int((modulo(me + i, n) - 2), 8), i = 1, length)]; b = a
    call co_min(x)
    call co_max(y)
    call co_min(a)
    call co_max(b)
    call require(x == int(-n, 8) .and. y == int(-1, 8), 'integer(8)')
    call require(all(a == int(-2, 8)) .and. all(b == int((n - 3), 8)), 'integer(8) array')
    x = int(me, 8); y = x
    call co_min(x, result_image=n)
    call co_max(y, result_image=1)
    if (me == n) call require(x == int(1, 8), 'integer(8): minimum on the last image')
    if (me == 1) call require(y == int(n, 8), 'integer(8): maximum on the first image')
  end subroutine

  subroutine integers_16(length)
    integer, intent(in) :: length
    integer(16) :: x, y, a(length), b(length)
    integer :: i

    x = int(-me, 16); y = x
    a = [(int((modulo(me + i, n) - 2), 16), i = 1, length)]; b = a
    call co_min(x)
    call co_max(y)
    call co_min(a)
    call co_max(b)
    call require(x == int(-n, 16) .and. y == int(-1, 16), 'integer(16)')
    call require(all(a == int(-2, 16)) .and. all(b == int((n - 3), 16)), 'integer(16) array')
    x = int(me, 16); y = x
    call co_min(x, result_image=n)
    call co_max(y, result_image=1)
    if (me == n) call require(x == int(1, 16), 'integer(16): minimum on the last image')
    if (me == 1) call require(y == int(n, 16), 'integer(16): maximum on the first image')
  end subroutine
end program
