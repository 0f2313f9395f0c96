! An element beside one that was read, of an image that has failed meanwhile.
program failed_elements
  use, intrinsic :: iso_fortran_env
  implicit none
  integer :: a(100)[*], found, state, i

  a = 1
  sync all
  if (this_image() == 2) then
    found = a(1)[1]
    sync all (stat=state)
    fail image
  end if
  found = a(1)[2]
  sync all (stat=state)
  found = a(1)[2]
  do
    if (image_status(2) == stat_failed_image) exit
  end do
  do i = 2, 4
    found = a(i)[2, stat=state]
    if (state /= stat_failed_image) error stop 'served'
  end do
  print '(a)', 'found'
end program failed_elements
