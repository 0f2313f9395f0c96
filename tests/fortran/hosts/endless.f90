!> Says that it runs, then synchronises with the others for ever: the test ends it.
program endless
  use, intrinsic :: iso_fortran_env, only: output_unit
  implicit none
  integer :: count[*]

  count = 0
  sync all
  print '(a, i0)', 'there: image ', this_image()
  flush (output_unit)
  do
    count[modulo(this_image(), num_images()) + 1] = this_image()
    sync all
  end do
end program
