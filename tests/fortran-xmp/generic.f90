! Procedures of one generic name with distributed arguments that differ in ranks alone.
module fills
  implicit none
  !$xmp nodes n(*)
  !$xmp template t(10)
  !$xmp distribute t(block) onto n
  interface fill
    module procedure fill1, fill2, fill3
  end interface
contains
  subroutine fill1(x)
    real, intent(inout) :: x(10)
    integer :: k
    !$xmp align x(k) with t(k)
    !$xmp loop (k) on t(k)
    do k = 1, 10
      x(k) = k
    end do
  end subroutine
  subroutine fill2(x)
    real, intent(inout) :: x(4, 10)
    integer :: k
    !$xmp align x(*, k) with t(k)
    !$xmp loop (k) on t(k)
    do k = 1, 10
      x(:, k) = 2*k
    end do
  end subroutine
  subroutine fill3(x, m)
    integer, intent(in) :: m
    real, intent(inout) :: x(0:m, 10, 2)
    integer :: k
    !$xmp align x(*, k, *) with t(k)
    !$xmp loop (k) on t(k)
    do k = 1, 10
      x(0, k, :) = 3*k
      x(m, k, :) = 4*k
    end do
  end subroutine
end module

program generic
  use fills
  implicit none
  integer :: k
  real :: a(10), b(4, 10), c(0:3, 10, 2), s
  !$xmp align a(k) with t(k)
  !$xmp align b(*, k) with t(k)
  !$xmp align c(*, k, *) with t(k)
  call fill(a)
  call fill(b)
  c = 0
  call fill(c, 3)
  s = 0
  !$xmp loop on t(k) reduction(+: s)
  do k = 1, 10
    s = s + a(k) + sum(b(:, k)) + sum(c(:, k, :))
  end do
  if (nint(s) /= 55*(1 + 8 + 14)) stop 1
end program
