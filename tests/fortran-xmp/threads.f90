! Threads in loops of cyclic blocks: directives of OpenMP before and after them, with and without ends, constructs with names.
program threads
  implicit none
  integer, parameter :: n = 64
  integer :: i, j, k
  integer(8) :: s
  real(8) :: x, a(n, n), b(n, n)
  integer :: rows(n)
  !$xmp nodes p(*)
  !$xmp template u(n)
  !$xmp distribute u(block) onto p
  !$xmp align rows(i) with u(i)
  !$xmp template t(n, n)
  !$xmp distribute t(*, cyclic(4)) onto p
  !$xmp align (i, j) with t(i, j) :: a, b
  !$xmp loop (j) on t(*, j)
  !$omp parallel do private(i, x)
  outer: do j = 1, n
    do i = 1, n
      x = i + j
      if (i == j) cycle outer
      a(i, j) = x
    end do
  end do outer
  !$xmp loop (j) on t(*, j)
  !$omp parallel do
  do j = 1, n; do i = j, n; a(i, j) = i + j; end do; end do
  !$xmp loop (j) on t(*, j)
!$omp parallel do &
!$omp&  private(i)
  do j = 1, n
    where (a(:, j) > 64)
      b(:, j) = 1
    elsewhere
      b(:, j) = 2
    end where
  end do
!$omp end parallel do
  s = 0
  !$xmp loop (j) on t(*, j) reduction(+: s)
  !$omp parallel do reduction(+: s) collapse(1)
  do j = 1, n
    do i = 1, n
      select case (nint(a(i, j)))
      case (:64)
        s = s + nint(b(i, j))
      case default
        s = s + 100*nint(b(i, j))
      end select
    end do
  end do
  k = 0
  do j = 1, n
    do i = 1, n
      if (i + j > 64) then
        k = k + 100
      else
        k = k + 2
      end if
    end do
  end do
  if (s /= k) error stop 'a sum'
  s = 0
  !$xmp loop (j) on t(*, j) reduction(+: s)
  !$omp parallel do collapse(2) reduction(+: s) default(none) &
  !$omp& shared(b)
  do i = 1, n
    do j = 1, n
      s = s + nint(b(i, j))*i
    end do
  end do
  !$omp parallel default(none) shared(b, k)
  !$omp single
  k = 0
  !$omp end single
  !$xmp loop (j) on t(*, j)
  !$omp do reduction(+: k) private(i)
  do j = n, 1, -1
    do i = 1, n
      k = k + nint(b(i, j))*i
    end do
  end do
  !$omp end do
  !$omp end parallel
  !$xmp reduction(+: k)
  if (s /= k) error stop 'a sum of joined loops'
  ! Every other row, by first values that are computed; then steps that are.
  !$xmp loop (i) on u(i)
  do i = 1, n
    rows(i) = 0
  end do
  do k = 0, 1
    !$xmp loop (i) on u(i)
    !$omp parallel do
    do i = mod(k, 2) + 1, n, 2
      rows(i) = rows(i) + i + k
    end do
    !$xmp loop (i) on u(i)
    !$omp parallel do
    do i = n - mod(k, 2), 1, -2
      rows(i) = rows(i) + 100
    end do
  end do
  do k = -5, 5
    if (k == 0) cycle
    !$xmp loop (i) on u(i)
    !$omp parallel do
    do i = merge(3, n, k > 0), merge(n, 3, k > 0), k
      rows(i) = rows(i) + 1000
    end do
  end do
  s = 0
  !$xmp loop (i) on u(i) reduction(+: s)
  do i = 1, n
    s = s + rows(i)*i
  end do
  do i = 1, n
    s = s - i*(i + 100 + merge(1, 0, mod(i, 2) == 0))
    do k = 1, 5
      if (i >= 3 .and. mod(i - 3, k) == 0) s = s - 1000*i
      if (i >= 3 .and. mod(n - i, k) == 0) s = s - 1000*i
    end do
  end do
  if (s /= 0) error stop 'steps'
end program
