! Dummy arguments of assumed shape, with dimensions that are not distributed.
module shapes
  implicit none
  !$xmp nodes p(*)
  !$xmp template t(8)
  !$xmp distribute t(block) onto p
  !$xmp template u(8)
  !$xmp distribute u(cyclic) onto p
contains
  real function total(x) result(s)
    real, intent(in) :: x(:, :)
    integer :: i
    !$xmp align x(*, i) with t(i)
    if (size(x, 1) /= 3 .or. lbound(x, 1) /= 1) stop 1
    s = 0
    !$xmp loop on t(i) reduction(+: s)
    do i = 1, 8
      s = s + sum(x(:, i))
    end do
  end function
  subroutine scale(x, y, by)
    real, intent(inout) :: x(0:, :, -1:)
    real, intent(inout), optional, dimension(:, :) :: y
    real, intent(in) :: by
    integer :: i
    !$xmp align x(*, i, *) with u(i)
    !$xmp align y(*, i) with t(i)
    if (lbound(x, 1) /= 0 .or. ubound(x, 1) /= 1 .or. lbound(x, 3) /= -1 .or. size(x, 3) /= 4) stop 2
    !$xmp loop on u(i)
    do i = 1, 8
      x(1, i, -1) = by*x(1, i, -1)
      x(0, i, 2) = by*x(0, i, 2)
    end do
    if (.not. present(y)) return
    !$xmp loop on t(i)
    do i = 1, 8
      y(3, i) = by*y(3, i)
    end do
  end subroutine
end module

program test
  use shapes
  implicit none
  real :: b(3, 8), c(0:1, 8, 4), s
  integer :: i
  !$xmp align b(*, i) with t(i)
  !$xmp align c(*, i, *) with u(i)
  !$xmp loop on t(i)
  do i = 1, 8
    b(:, i) = i
  end do
  if (nint(total(b)) /= 108) stop 3
  c = 1
  call scale(c, by=2.)
  call scale(c, b, 2.)
  if (nint(total(b)) /= 144) stop 4
  s = 0
  !$xmp loop on u(i) reduction(+: s)
  do i = 1, 8
    s = s + sum(c(:, i, :))
  end do
  if (nint(s) /= 8*(6 + 2*4)) stop 5
end program
