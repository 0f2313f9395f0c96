! Distributed dummy arguments that may be absent: of known and of assumed shape, in a module and outside of one.
module with_arguments
  implicit none
  integer, parameter :: n = 30
  !$xmp nodes p(*)
  !$xmp template t(n)
  !$xmp distribute t(block) onto p
  !$xmp template tc(n)
  !$xmp distribute tc(cyclic) onto p
contains
  ! The sum of neighbours of `x` and of the elements of `y` and `z`, as far as they are there.
  integer function total_of(x, y, z)
    integer, optional :: x(n)
    integer, optional, intent(in) :: y(:)
    integer :: z(n)
    optional :: z
    !$xmp align x(i) with t(i)
    !$xmp shadow x(1)
    !$xmp align y(i) with t(i)
    !$xmp align z(i) with tc(i)
    integer :: i
    total_of = 0
    if (present(x)) then
      !$xmp reflect (x)
      !$xmp loop on t(i) reduction(+: total_of)
      do i = 2, n - 1
        total_of = total_of + x(i - 1) + x(i + 1)
      end do
    end if
    if (present(y)) then
      !$xmp loop on t(i) reduction(+: total_of)
      do i = 1, n
        total_of = total_of + y(i)
      end do
    end if
    if (.not. present(z)) return
    !$xmp loop on tc(i) reduction(+: total_of)
    do i = 1, n
      total_of = total_of + z(i)
    end do
  end function
end module

subroutine fill(value, a)
  use with_arguments, only: n
  implicit none
  integer, intent(in) :: value
  integer, intent(out), optional :: a(n)
  !$xmp align a(i) with t(i)
  integer :: i
  if (.not. present(a)) return
  !$xmp loop on t(i)
  do i = 1, n
    a(i) = value*i
  end do
end subroutine

program optional_arguments
  use with_arguments
  implicit none
  interface
    subroutine fill(value, a)
      import :: n
      integer, intent(in) :: value
      integer, intent(out), optional :: a(n)
    end subroutine
  end interface
  integer :: one(n), two(n), three(n), i
  !$xmp align one(i) with t(i)
  !$xmp shadow one(1)
  !$xmp align two(i) with t(i)
  !$xmp align three(i) with tc(i)
  integer, parameter :: sum = n*(n + 1)/2
  call fill(5)
  call fill(10, two)
  !$xmp loop on t(i)
  do i = 1, n
    one(i) = i
  end do
  !$xmp loop on tc(i)
  do i = 1, n
    three(i) = 100*i
  end do
  if (total_of() /= 0) error stop 'none'
  if (total_of(one) /= n*(n - 2) + (n - 2)) error stop 'the first'
  if (total_of(y=two) /= 10*sum) error stop 'one of assumed shape'
  if (total_of(z=three) /= 100*sum) error stop 'a cyclic one'
  if (total_of(one, two, three) /= 110*sum + (n + 1)*(n - 2)) error stop 'all'
end program
