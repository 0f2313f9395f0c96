!> FAILED_IMAGES, STOPPED_IMAGES and IMAGE_STATUS after FAIL IMAGE: in order, of other kinds, and each image in one of them.
program failed_images_list
  use checks
  use, intrinsic :: iso_fortran_env, only: stat_failed_image
  implicit none
  integer, allocatable :: failed(:), left(:)
  integer(8), allocatable :: wide(:)
  integer :: me, n, i

  me = this_image(); n = num_images()
  sync all
  if (mod(me, 3) == 2) fail image
  left = pack([(i, i = 1, n)], [(mod(i, 3) /= 2, i = 1, n)])
  do i = 2, n, 3
    do while (image_status(i) == 0)
    end do
    call require_equal(image_status(i), stat_failed_image, 'image_status')
  end do
  failed = failed_images()
  call require(lbound(failed, 1) == 1 .and. size(failed) == size([(i, i = 2, n, 3)]), 'size')
  call require(all(failed == [(i, i = 2, n, 3)]), 'failed_images')
  wide = failed_images(kind=8)
  call require(all(wide == [(i, i = 2, n, 3)]), 'failed_images of kind 8')
  ! Those that are left are here until all of them have come.
  sync images (left)
  call require(all(mod(stopped_images(), 3) /= 2), 'a failed image has not stopped')
  call require_equal(image_status(me), 0, 'own status')
end program
