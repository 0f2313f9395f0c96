! Distributed arrays in COMMON: the units that align them have the same elements, whatever unit comes first.
program common
  integer, parameter :: n = 20
  real(8) :: x(n), y
  dimension z(n, 3)
  integer k
  common /v/ x, y, k /w/ z
  common u(n), half
  save /v/
  !$xmp nodes p(*)
  !$xmp template t(n)
  !$xmp distribute t(block) onto p
  !$xmp template c(n)
  !$xmp distribute c(cyclic) onto p
  !$xmp align x(i) with t(i)
  !$xmp shadow x(1)
  !$xmp align z(i, *) with c(i)
  !$xmp align u(i) with t(i)
  y = 3
  k = 7
  half = 0.5
  x = 0
  !$xmp loop on t(i)
  do i = 1, n
    x(i) = i
    u(i) = half*i
  end do
  z = 1
  do i = 1, 3
    call step(i)
  end do
  if (k /= 10 .or. nint(y) /= 4) stop 1
  bad = 0
  !$xmp loop on t(i) reduction(+: bad)
  do i = 2, n - 1
    if (nint(x(i)) /= 2*i + 3 .or. nint(2*u(i)) /= i) bad = bad + 1
  end do
  if (nint(bad) /= 0) stop 2
  s = 0
  !$xmp loop on c(i) reduction(+: s)
  do i = 1, n
    s = s + sum(z(i, :))
  end do
  if (nint(s) /= n*(3 + 6)) stop 3
end program

subroutine step(of)
  integer, parameter :: n = 20
  integer of, bad
  real(8) x, y
  common /v/ x(n), y, k
  common /w/ z(n, 3)
  common u, half
  real u(n)
  !$xmp nodes p(*)
  !$xmp template t(n)
  !$xmp distribute t(block) onto p
  !$xmp template c(n)
  !$xmp distribute c(cyclic) onto p
  !$xmp align x(i) with t(i)
  !$xmp shadow x(1)
  !$xmp align z(i, *) with c(i)
  !$xmp align u(i) with t(i)
  if (of == 1) call first
  k = k + 1
  bad = 0
  !$xmp reflect (x)
  !$xmp loop on t(i) reduction(+: bad)
  do i = 2, n - 1
    if (nint(x(i + 1) - x(i - 1)) /= 2 .and. of == 1) bad = bad + 1
  end do
  if (bad /= 0) stop 4
  !$xmp loop on t(i)
  do i = 1, n
    x(i) = x(i) + 1
    if (of == 1) x(i) = x(i) + nint(2*u(i))
  end do
  !$xmp loop on c(i)
  do i = 1, n
    z(i, of) = z(i, of) + 2
  end do
contains
  subroutine first
    if (nint(y) /= 3) stop 5
    y = y + 1
  end subroutine
end subroutine
