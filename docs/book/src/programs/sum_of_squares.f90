! A Fortran program whose images call a C function, which uses the same images.
program sum_of_squares
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  interface
    integer(c_int) function total(mine) bind(c)
      import :: c_int
      integer(c_int), value :: mine
    end function total
  end interface
  integer(c_int) :: sum

  sum = total(this_image()**2)
  if (this_image() == 1) print '(a,i0)', 'sum of squares: ', sum
end program sum_of_squares
