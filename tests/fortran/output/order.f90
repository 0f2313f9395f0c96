!> Each image prints in turn, with SYNC ALL between: the numbers are those of the lines.
program order
  implicit none
  integer :: round, image
  do round = 0, 39
    do image = 1, num_images()
      if (image == this_image()) print '(i0)', round * num_images() + image
      sync all
    end do
  end do
end program
