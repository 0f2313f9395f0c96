! Arrays of as many dimensions as Fortran has: distributed in the first, in one in the middle and in the last dimension.
program ranks
  implicit none
  integer, parameter :: n = 12
  !$xmp nodes p(*)
  !$xmp template t(n)
  !$xmp template c(n)
  !$xmp distribute t(block) onto p
  !$xmp distribute c(cyclic) onto p
  integer :: a(2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, n)
  integer :: b(n, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2)
  integer :: d(2, 1, 1, 1, 1, 1, 1, n, 1, 1, 2)
  integer :: i, j, bad
  !$xmp align a(*, *, *, *, *, *, *, *, *, *, *, *, *, *, i) with t(i)
  !$xmp align b(i, *, *, *, *, *, *, *, *, *, *, *, *, *, *) with t(i)
  !$xmp align d(*, *, *, *, *, *, *, i, *, *, *) with c(i)
  !$xmp shadow a(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)
  bad = 0
  !$xmp loop on t(i)
  do i = 1, n
    a(:, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, i) = [i, -i]
    b(i, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, :) = 0
  end do
  !$xmp reflect (a)
  !$xmp loop on t(i) reduction(+: bad)
  do i = 2, n - 1
    if (a(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, i + 1) /= i + 1) bad = bad + 1
    if (a(2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, i - 1) /= 1 - i) bad = bad + 1
  end do
  if (bad /= 0) error stop 'reflect'
  !$xmp gmove
  b(:, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2) = a(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, :)
  !$xmp gmove
  d(2, 1, 1, 1, 1, 1, 1, :, 1, 1, 1) = a(2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, :)
  !$xmp loop on t(i) reduction(+: bad)
  do i = 1, n
    if (b(i, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2) /= i) bad = bad + 1
  end do
  !$xmp loop on c(j) reduction(+: bad)
  do j = 1, n
    if (d(2, 1, 1, 1, 1, 1, 1, j, 1, 1, 1) /= -j) bad = bad + 1
  end do
  if (bad /= 0) error stop 'gmove'
end program
