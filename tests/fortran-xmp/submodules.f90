! Submodules: separate procedures with distributed arguments and arrays of their own, objects of a submodule, which its procedures
! and a submodule of it use.
module geometry
  implicit none
  integer, parameter :: n = 30
  !$xmp nodes p(*)
  !$xmp template t(n)
  !$xmp distribute t(block) onto p
  integer :: a(n)
  !$xmp align a(i) with t(i)
  interface
    module subroutine fill(factor)
      integer, intent(in) :: factor
    end subroutine
    module integer function total()
    end function
    module subroutine double_it(x)
      integer, intent(inout) :: x(n)
      !$xmp align x(i) with t(i)
    end subroutine
    module function weighted() result(weight)
      integer :: weight
    end function
    module integer function calls()
    end function
    pure module integer function square(i)
      integer, intent(in) :: i
    end function
  end interface
  interface generic
    module procedure fill, of_module
  end interface
contains
  subroutine of_module(value)
    real, intent(in) :: value
    call fill(nint(value))
  end subroutine
end module

submodule (geometry) inner
  implicit none
  !$xmp template u(n)
  !$xmp distribute u(cyclic) onto p
  integer :: weights(n)
  logical :: is_set = .false.
  !$xmp align weights(i) with u(i)
contains
  module subroutine fill(factor)
    integer, intent(in) :: factor
    integer :: i
    !$xmp loop on t(i)
    do i = 1, n
      a(i) = factor*i
    end do
  end subroutine

  module procedure total
    integer :: i
    total = 0
    !$xmp loop on t(i) reduction(+: total)
    do i = 1, n
      total = total + a(i)
    end do
  end procedure total

  module subroutine double_it(x)
    integer, intent(inout) :: x(n)
    !$xmp align x(i) with t(i)
    integer :: i, old(n)
    !$xmp align old(i) with t(i)
    !$xmp loop on t(i)
    do i = 1, n
      old(i) = x(i)
      x(i) = x(i) + old(i)
    end do
  end subroutine

  module function weighted() result(weight)
    integer :: weight, i
    if (.not. is_set) then
      !$xmp loop on u(i)
      do i = 1, n
        weights(i) = square(i)
      end do
    end if
    is_set = .true.
    weight = 0
    !$xmp loop on u(i) reduction(+: weight)
    do i = 1, n
      weight = weight + weights(i)
    end do
  end function

  pure module integer function square(i)
    integer, intent(in) :: i
    square = i*i
  end function
end submodule

submodule (geometry:inner) leaf
  implicit none
  !$xmp template v(5)
  !$xmp distribute v(block) onto p
  integer :: counts(5) = 0
  !$xmp align counts(i) with v(i)
contains
  module procedure calls
    integer :: i
    calls = 0
    !$xmp loop on v(i) reduction(+: calls)
    do i = 1, 5
      counts(i) = counts(i) + 1
      calls = calls + counts(i)
    end do
    !$xmp loop on u(i)
    do i = 1, n
      weights(i) = 1
    end do
    is_set = .true.
  end procedure
end submodule

program submodules
  use geometry
  implicit none
  if (calls() /= 5 .or. calls() /= 10) error stop 'objects of a submodule of a submodule'
  if (weighted() /= n) error stop 'objects of a submodule'
  call generic(2)
  call double_it(a)
  if (total() /= 4*n*(n + 1)/2) error stop 'separate procedures'
  call generic(1.0)
  if (total() /= n*(n + 1)/2 .or. square(3) /= 9) error stop 'a generic name'
end program
