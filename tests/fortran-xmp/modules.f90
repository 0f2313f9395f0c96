! Modules that keep names private, and lists of names; functions with distributed arguments that call themselves; procedures that
! are called without a use of their module, as C does.
module base
  implicit none
  integer, parameter :: n = 40
  !$xmp nodes p(*)
  !$xmp template t(n)
  !$xmp distribute t(block) onto p
  real(8), private, save :: hidden(n)
  !$xmp align hidden(i) with t(i)
  real(8) :: shown(n)
  !$xmp align shown(i) with t(i)
contains
  subroutine fill(v)
    real(8), intent(in) :: v
    integer :: i
    !$xmp loop on t(i)
    do i = 1, n
      hidden(i) = v*i
    end do
  end subroutine
  real(8) function total()
    integer :: i
    total = 0
    !$xmp loop on t(i) reduction(+: total)
    do i = 1, n
      total = total + hidden(i)
    end do
  end function
  recursive function deep(x, k) result(s)
    real(8), intent(in) :: x(n)
    integer, intent(in) :: k
    real(8) :: s, y(n)
    !$xmp align x(i) with t(i)
    !$xmp align y(i) with t(i)
    integer :: i
    !$xmp loop on t(i)
    do i = 1, n
      y(i) = x(i) + k
    end do
    if (k > 0) then
      s = deep(y, k - 1)
      return
    end if
    s = 0
    !$xmp loop on t(i) reduction(+: s)
    do i = 1, n
      s = s + y(i)
    end do
  end function
end module
module middle
  use base
  implicit none
  private
  public :: twice, shown, n
contains
  subroutine twice()
    call fill(2d0)
  end subroutine
end module
module for_c
  use base, only: n
  implicit none
  !$xmp nodes q(*)
  !$xmp template tc(n)
  !$xmp distribute tc(cyclic) onto q
  integer :: own(n)
  !$xmp align own(i) with tc(i)
contains
  integer function sum_of_own(factor) bind(c)
    integer, value :: factor
    integer :: i
    sum_of_own = 0
    !$xmp loop on tc(i) reduction(+: sum_of_own)
    do i = 1, n
      own(i) = factor*i
      sum_of_own = sum_of_own + own(i)
    end do
  end function
end module
program modules
  use middle, only: twice, shown
  use base, only: total, fill, deep
  implicit none
  integer, parameter :: n = 40
  interface
    integer function sum_of_own(factor) bind(c)
      integer, value :: factor
    end function
  end interface
  if (sum_of_own(3) /= 3*n*(n + 1)/2) error stop 'a procedure that C may call'
  call fill(1d0)
  if (total() /= n*(n + 1)/2) error stop 'a private array'
  call twice()
  if (total() /= n*(n + 1)) error stop 'through another module'
  shown(:) = 1
  if (deep(shown, 3) /= n*(1 + 6)) error stop 'a recursive function'
end program
