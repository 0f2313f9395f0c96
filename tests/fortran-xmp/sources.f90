! `allocate` by `source` and `mold`: the bounds, and the elements of this image, are those of another distributed array.
program sources
  implicit none
  !$xmp nodes p(*)
  !$xmp template t(0:19), u(0:19)
  !$xmp distribute t(block) onto p
  !$xmp distribute u(cyclic(2)) onto p
  real :: a(0:19), c(0:19)
  real, allocatable :: b(:), d(:), e(:, :), f(:, :), g(:)
  integer :: i, bad, status
  !$xmp align (i) with t(i) :: a, b, d
  !$xmp align (i, *) with t(i) :: e, f
  !$xmp align (i) with u(i) :: c, g
  !$xmp loop on t(i)
  do i = 0, 19
    a(i) = i
  end do
  !$xmp loop on u(i)
  do i = 0, 19
    c(i) = 2*i
  end do
  allocate (b, source=a, stat=status)
  if (status /= 0) stop 1
  allocate (d(0:19), source = a)
  if (lbound(b, 1) /= lbound(a, 1) .or. ubound(b, 1) /= ubound(a, 1)) stop 2
  allocate (e(0:19, -1:1))
  e = 5
  allocate (f, mold=e)
  if (lbound(f, 2) /= -1 .or. size(f) /= size(e)) stop 3
  f = 1
  allocate (g, source=c)
  bad = 0
  !$xmp loop on t(i) reduction(+: bad)
  do i = 0, 19
    if (nint(b(i)) /= i .or. nint(d(i)) /= i .or. nint(e(i, 1)) /= 5) bad = bad + 1
  end do
  if (bad /= 0) stop 4
  !$xmp loop on u(i) reduction(+: bad)
  do i = 0, 19
    if (nint(g(i)) /= 2*i) bad = bad + 1
  end do
  if (bad /= 0) stop 5
  ! They are distributed arrays as any other.
  !$xmp gmove
  b(0:9) = c(10:19)
  !$xmp loop on t(i) reduction(+: bad)
  do i = 0, 9
    if (nint(b(i)) /= 2*(i + 10)) bad = bad + 1
  end do
  if (bad /= 0) stop 6
  deallocate (b, d, e, f, g)
end program
