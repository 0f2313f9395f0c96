! Statement functions in units with directives, also of distributed arrays in blocks and in cyclic order.
program functions
  integer :: i, total, twice, at, of, k
  integer, dimension(20) :: a, c
  !$xmp nodes p(*)
  !$xmp template t(20), u(20)
  !$xmp distribute t(block) onto p
  !$xmp distribute u(cyclic) onto p
  !$xmp align a(i) with t(i)
  !$xmp align c(i) with u(i)
  twice(i) = 2*i
  at(i) = a(i)
  of(k) = c(k) + twice(k)
  !$xmp loop on t(i)
  do i = 1, 20
    a(i) = twice(i)
  end do
  !$xmp loop on u(i)
  do i = 1, 20
    c(i) = i
  end do
  total = 0
  !$xmp loop on t(i) reduction(+: total)
  do i = 1, 20
    total = total + at(i)
  end do
  if (total /= 420) stop 1
  total = 0
  !$xmp loop on u(i) reduction(+: total)
  do i = 1, 20
    total = total + of(i)
  end do
  if (total /= 630) stop 2
  call procedure(total)
  if (total /= 210) stop 3
end program

subroutine procedure(total)
  integer total
  !$xmp nodes p(*)
  !$xmp template t(20)
  !$xmp distribute t(block) onto p
  real a(20)
  !$xmp align a(i) with t(i)
  half(x) = x/2
  add(x, y) = x + y
  !$xmp loop on t(i)
  do i = 1, 20
    a(i) = half(2.*i)
  end do
  total = 0
  !$xmp loop on t(i) reduction(+: total)
  do i = 1, 20
    total = nint(add(real(total), a(i)))
  end do
end subroutine
