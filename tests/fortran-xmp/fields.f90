! Distributed components of saved variables and of targets; components that the program allocates.
module fields
  implicit none
  integer, parameter :: n = 12
  !$xmp nodes p(*)
  !$xmp template t(n, n)
  !$xmp distribute t(*, block) onto p
  !$xmp template v(:)
  !$xmp distribute v(block) onto p
  type field
    real :: u(n, n)
    integer :: steps = 0
    real, allocatable :: f(:, :)
  end type
  !$xmp align (i, j) with t(i, j) :: field%u, field%f
  !$xmp shadow (0, 1) :: field%u, field%f
  type(field), save :: now
  type(field), target, public :: next
  type line
    real, dimension(:), allocatable :: x
  end type
  !$xmp align line%x(i) with v(i)
  type(line), private :: own
contains
  subroutine lines(m)
    integer, intent(in) :: m
    integer :: i, total
    !$xmp template_fix v(m)
    allocate (own % x(m))
    total = 0
    !$xmp loop on v(i) reduction(+: total)
    do i = 1, m
      own%x(i) = i
      total = total + nint(own%x(i))
    end do
    if (total /= m*(m + 1)/2) stop 1
    deallocate (own%x)
    if (allocated(own%x)) stop 2
  end subroutine
end module

program test
  use fields
  implicit none
  integer :: i, j, status, bad
  allocate (now%f(n, n), next%f(n, n), stat=status)
  if (status /= 0) stop 3
  !$xmp loop (i, j) on t(i, j)
  do j = 1, n
    do i = 1, n
      now%u(i, j) = i + 100*j
      now%f(i, j) = 2*now%u(i, j)
    end do
  end do
  !$xmp reflect (now%u, now%f)
  bad = 0
  !$xmp loop (i, j) on t(i, j) reduction(+: bad)
  do j = 2, n - 1
    do i = 1, n
      next%u(i, j) = now%u(i, j - 1) + now%f(i, j + 1)
      if (nint(next%u(i, j)) /= 3*i + 300*j + 100) bad = bad + 1
    end do
  end do
  if (bad /= 0) stop 4
  next%f = 0
  !$xmp gmove
  next%f(:, 1:6) = now%f(:, 7:12)
  bad = 0
  !$xmp loop (i, j) on t(i, j) reduction(+: bad)
  do j = 1, 6
    do i = 1, n
      if (nint(next%f(i, j)) /= 2*(i + 100*(j + 6))) bad = bad + 1
    end do
  end do
  if (bad /= 0) stop 5
  deallocate (now%f)
  next%steps = 3
  call lines(7)
end program
