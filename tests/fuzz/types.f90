! Types of function results that debugging information describes: the seeds of the target dwarf are made from this file.
module types
  use, intrinsic :: iso_c_binding, only: c_int, c_double, c_ptr
  implicit none
  type, bind(c) :: pair
    integer(c_int) :: first
    real(c_double) :: second
  end type pair
  type, bind(c) :: nested
    type(pair) :: part
    integer(c_int) :: list(2)
    type(c_ptr) :: address
  end type nested
  integer, parameter :: wide = 10, quad = 16
contains
  pure type(pair) function a_pair(n)
    integer, intent(in) :: n
    a_pair = pair(n, 0.5d0)
  end function a_pair
  type(nested) function a_nested(from)
    type(nested), intent(in) :: from
    a_nested = from
  end function a_nested
  pure complex function a_complex(x)
    real, intent(in) :: x
    a_complex = cmplx(x, x)
  end function a_complex
  pure real(wide) function a_wide(x)
    real(wide), intent(in) :: x
    a_wide = x
  end function a_wide
  pure real(quad) function a_quad(x)
    real(quad), intent(in) :: x
    a_quad = x
  end function a_quad
  pure character(12) function a_text(n)
    integer, intent(in) :: n
    a_text = repeat('x', n)
  end function a_text
end module types
