! `save` without names in a module, a main program, a procedure and a block construct.
module m
  implicit none
  save
!$xmp nodes p(*)
!$xmp template t(10)
!$xmp distribute t(block) onto p
  real :: g(10)
!$xmp align g(i) with t(i)
end module
program blanket
  use m
  implicit none
  integer i, k
  real s
  save
  real :: a(10)
!$xmp align a(i) with t(i)
  do k = 1, 3
    call f(k)
    block
      real :: b(10)
      save
!$xmp align b(i) with t(i)
      if (k == 1) b = 0
!$xmp loop on t(i)
      do i = 1, 10
        b(i) = b(i) + i
        a(i) = b(i)
      end do
    end block
  end do
  s = 0
!$xmp loop on t(i) reduction(+:s)
  do i = 1, 10
    s = s + a(i)
  end do
  if (nint(s) /= 165) stop 1
contains
  subroutine f(k)
    integer k
    integer c(10)
    save
!$xmp align c(i) with t(i)
    if (k == 1) c = 0
    c = c + 1
    if (any(c /= k)) stop 2
  end subroutine
end program
