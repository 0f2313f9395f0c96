! Nests in which loops that are not distributed stand around, between and within those that are: reductions, margins, fixed
! indices of the template.
program nests
  implicit none
  integer, parameter :: n = 24, m = 5
  integer :: a(n, m), b(m, n), i, j, k, total, first, seen(n)
  !$xmp nodes p(*)
  !$xmp template t(n)
  !$xmp distribute t(block) onto p
  !$xmp template s(n, m)
  !$xmp distribute s(cyclic(2), *) onto p
  !$xmp align a(i, *) with t(i)
  !$xmp shadow a(1, 0)
  !$xmp align b(*, i) with s(i, *)
  !$xmp template u(m, 3*n)
  !$xmp distribute u(*, block) onto p
  integer :: c(m, n), d(m, n)
  !$xmp align c(j, i) with u(j, i)
  !$xmp align d(j, i) with u(j, i)

  !$xmp loop (i) on t(i)
  do j = 1, m
    do i = 1, n
      a(i, j) = i + 100*j
    end do
  end do
  total = 0
  !$xmp loop (i) on t(i) reduction(+: total)
  do j = 1, m
    do i = 1, n
      total = total + a(i, j)
    end do
  end do
  call require(total == m*n*(n + 1)/2 + 100*n*m*(m + 1)/2, 'a reduction within a loop')

  total = 0
  first = 0
  !$xmp loop (i) on s(i, *) reduction(+: total) reduction(max: first)
  do j = 1, 2
    do k = 1, m
      do i = 1, n
        b(k, i) = i*k
        total = total + b(k, i)
        first = max(first, b(k, i))
      end do
    end do
  end do
  call require(total == 2*n*(n + 1)/2*m*(m + 1)/2 .and. first == n*m, 'a reduction within two loops')

  ! Only the nodes that have the fixed index execute.
  total = 0
  !$xmp loop (k) on s(3, k) reduction(+: total)
  do j = 1, 2
    do k = 1, m
      total = total + b(k, 3)
    end do
  end do
  !$xmp bcast (total) from s(3, 1)
  call require(total == 2*3*m*(m + 1)/2, 'a fixed index')

  ! Each iteration of both sides once for each iteration of the loop around.
  seen = 0
  !$xmp reflect (a)
  !$xmp loop (i) on t(i) margin(-1)
  do j = 1, m
    do i = 1, n
      seen(i) = seen(i) + 1
    end do
  end do
  !$xmp loop (i) on t(i) expand(-1)
  do j = 1, m
    do i = 1, n
      seen(i) = seen(i) + 1
    end do
  end do
  !$xmp reduction(+: seen)
  call require(all(seen == m), 'a margin within a loop')

  ! Most nodes have nothing of these arrays.
  !$xmp loop (i) on u(*, i)
  do i = 1, n
    d(:, i) = i
  end do
  !$xmp array on u(2:m, 1:n)
  c(2:m, 1:n) = d(2:m, 1:n) + 1
  total = 0
  !$xmp loop (i) on u(*, i) reduction(+: total)
  do i = 1, n
    total = total + sum(c(2:m, i))
  end do
  call require(total == (m - 1)*(n*(n + 1)/2 + n), 'an assignment to parts of which some are empty')
contains
  subroutine require(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (.not. condition) then
      print '(2a)', 'wrong: ', what
      error stop
    end if
  end subroutine
end program
