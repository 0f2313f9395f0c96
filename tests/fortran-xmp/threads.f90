! Threads in loops of cyclic blocks: directives of OpenMP before and behind them, with and without ends, constructs with names.
program threads
  implicit none
  integer, parameter :: n = 64
  integer :: i, j, k
  integer(8) :: s
  real(8) :: x, a(n, n), b(n, n)
  !$xmp nodes p(*)
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
end program
