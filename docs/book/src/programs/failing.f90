! An image fails, and the others finish its work.
program failing
  use iso_fortran_env, only: stat_failed_image
  implicit none
  integer, parameter :: n = 12
  integer :: done(n)[*], state, item

  done = 0
  sync all
  do item = this_image(), n, num_images()
    if (this_image() == 3 .and. item > 3) fail image
    done(item)[1] = this_image()
  end do
  sync all (stat=state)
  if (state == stat_failed_image .and. this_image() == 1) then
    print '(a,*(1x,i0))', 'failed:', failed_images()
    do item = 1, n
      if (done(item) == 0) done(item) = 1
    end do
  end if
  if (this_image() == 1) print '(a,12(1x,i0))', 'done by:', done
end program failing
