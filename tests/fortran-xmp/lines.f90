! Arrays of one shape, whose parts have whole pages, start in different lines of a page: a loop that reads all of them at one index
! would otherwise need more ways of the first-level cache than there are.
module arrays
  implicit none
  integer, parameter :: n = 64
  !$xmp nodes p(*)
  !$xmp template t(n)
  !$xmp distribute t(block) onto p
  real(8) :: a(512, n), b(512, n), c(512, n, 2), d(512, n)
  !$xmp align (*, i) with t(i) :: a, b, d
  !$xmp align c(*, i, *) with t(i)
  !$xmp shadow d(0, 1)
end module

program lines
  use arrays
  implicit none
  real(8) :: own(512, n)
  !$xmp align own(*, i) with t(i)
  integer :: line(5), i, first
  first = 0
  !$xmp loop on t(i)
  do i = 1, n
    if (first == 0) first = i
  end do
  if (first > 0) then
    line = [place(a(1, first)), place(b(1, first)), place(c(1, first, 1)), place(d(1, first)), place(own(1, first))]
    do i = 2, 5
      if (any(line(:i - 1) == line(i))) then
        print *, 'wrong: arrays start in the lines ', line
        error stop
      end if
    end do
  end if
contains
  integer function place(x)
    real(8), intent(in), target :: x
    place = int(mod(loc(x), 4096_8)/64)
  end function
end program
