!> sync images with no image, with itself, and with lists that contain the image itself returns at once.
program sync_images_trivial
  use checks
  implicit none
  integer :: me, k, no_image(0), status
  integer, allocatable :: all_of_us(:)

  me = this_image()
  do k = 1, 10
    sync images (no_image)
    sync images (me)
    sync images ([me])
    sync images (no_image, stat=status)
    call require_equal(status, 0, 'stat of a sync with no image')
  end do
  all_of_us = [(k, k = 1, num_images())]
  do k = 1, 10
    sync images (all_of_us)
  end do
  if (num_images() == 1) sync images (*)
end program
