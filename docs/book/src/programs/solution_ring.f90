! A sum without collective subroutines: each number travels once around the ring.
program solution_ring
  implicit none
  integer :: passed[*], total, mine, next, step

  next = mod(this_image(), num_images()) + 1
  mine = this_image()
  total = mine
  do step = 2, num_images()
    sync all                            ! the next image has taken the number before
    passed[next] = mine
    sync all                            ! the number of the image before has arrived
    mine = passed
    total = total + mine
  end do
  if (this_image() == 1) print '(a,i0)', 'sum: ', total
end program solution_ring
