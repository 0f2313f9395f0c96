! A module whose template is fixed, and whose arrays are allocated, in another file.
module later
  implicit none
  integer, parameter :: wide = 2
  !$xmp nodes p(*)
  !$xmp template t(:)
  !$xmp distribute t(gblock(*)) onto p
  !$xmp template u(:)
  !$xmp distribute u(cyclic(3)) onto p
  real(8), allocatable :: a(:, :)
  real(8), allocatable, dimension(:) :: b
  !$xmp align a(*, i) with t(i)
  !$xmp shadow a(0, 1:wide)
  !$xmp align b(i) with u(i)
end module
