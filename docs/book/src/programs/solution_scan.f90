! Each image gets the sum of the numbers of all images up to itself, in steps of 1, 2, 4, ... images.
program solution_scan
  implicit none
  integer :: sum_so_far[*], other, distance

  sum_so_far = this_image()
  distance = 1
  do while (distance < num_images())
    sync all                            ! the sums of the step before are there
    other = 0
    if (this_image() > distance) other = sum_so_far[this_image() - distance]
    sync all                            ! all images have read
    sum_so_far = sum_so_far + other
    distance = 2 * distance
  end do
  if (this_image() == num_images()) print '(a,i0)', 'the last image has ', sum_so_far
end program solution_scan
