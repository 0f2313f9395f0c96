! Entries of procedures with distributed arrays: each makes the objects that it has.
module work
  implicit none
  integer, parameter :: n = 20
  !$xmp nodes p(*)
  !$xmp template t(n)
  !$xmp distribute t(block) onto p
contains
  subroutine fill(a, k)
    real :: a(n), b(n)
    integer :: k, i
    !$xmp align a(i) with t(i)
    !$xmp align b(i) with t(i)
    !$xmp loop on t(i)
    do i = 1, n
      a(i) = k*i
    end do
    return

    entry add(a, b)
    !$xmp loop on t(i)
    do i = 1, n
      a(i) = a(i) + b(i)
    end do
    return
    entry nothing
  end subroutine

  real function total_of(a)
    real :: a(n), b(n), largest_of
    integer :: i, k
    logical :: has, found
    !$xmp align a(i) with t(i)
    !$xmp align b(i) with t(i)
    total_of = 0
    !$xmp loop on t(i) reduction(+: total_of)
    do i = 1, n
      total_of = total_of + a(i)
    end do
    return

    entry largest_of(a, b)
    largest_of = -huge(1.0)
    !$xmp loop on t(i) reduction(max: largest_of)
    do i = 1, n
      largest_of = max(largest_of, a(i) - b(i))
    end do
    return

    entry has(a, k) result(found)
    found = .false.
    !$xmp loop on t(i) reduction(.or.: found)
    do i = 1, n
      found = found .or. nint(a(i)) == k
    end do
  end function
end module

subroutine outer(x, m, total)
  use work
  implicit none
  integer :: m, i
  real :: x(m), total, scaled(n)
  !$xmp align x(i) with t(i)
  !$xmp align scaled(i) with t(i)
  total = 0
  !$xmp loop on t(i) reduction(+: total)
  do i = 1, n
    total = total + x(i)
  end do
  return
  entry twice(x, m)
  !$xmp loop on t(i)
  do i = 1, n
    scaled(i) = 2*x(i)
  end do
  !$xmp loop on t(i)
  do i = 1, n
    x(i) = scaled(i)
  end do
end subroutine

program test
  use work
  implicit none
  real :: x(n), y(n), total
  !$xmp align x(i) with t(i)
  !$xmp align y(i) with t(i)
  call fill(x, 1)
  call fill(y, 10)
  call nothing
  call add(x, y)
  call outer(x, n, total)
  if (total /= 11*n*(n + 1)/2) error stop "add"
  call twice(x, n)
  call outer(x, n, total)
  if (total /= 11*n*(n + 1)) error stop "twice"
  if (total_of(x) /= total) error stop "total_of"
  if (largest_of(x, y) /= 12*n) error stop "largest_of"
  if (.not. has(y, 10*n) .or. has(y, 1)) error stop "has"
end program
