! An image ends early. The others notice it and go on.
program with_stat
  use, intrinsic :: iso_fortran_env, only: stat_stopped_image
  implicit none
  integer :: status

  if (this_image() == num_images()) stop
  sync all (stat=status)
  if (this_image() == 1) then
    if (status /= stat_stopped_image) error stop 'with_stat: no image has stopped'
    print '(a,i0)', 'stopped images: ', stopped_images()
  end if
end program with_stat
