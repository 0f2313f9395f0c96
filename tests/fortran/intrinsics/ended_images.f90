!> IMAGE_STATUS, STOPPED_IMAGES and FAILED_IMAGES: first no image has ended, then the even images have.
program ended_images
  use, intrinsic :: iso_fortran_env, only: stat_stopped_image
  use checks
  implicit none
  integer, allocatable :: stopped(:)
  integer(8), allocatable :: wide(:)
  integer :: me, i, status

  me = this_image()
  call require(size(failed_images()) == 0 .and. size(stopped_images()) == 0, 'from the start')
  do i = 1, num_images()
    call require_equal(image_status(i), 0, 'status from the start')
  end do
  ! As with the libraries that come with gfortran: an image that is not there does nothing any more.
  call require_equal(image_status(num_images() + 1), stat_stopped_image, 'status of an image that is not there')
  sync all
  if (mod(me, 2) == 0) stop
  do i = 2, num_images(), 2
    do while (image_status(i) == 0)
    end do
    call require_equal(image_status(i), stat_stopped_image, 'status of a stopped image')
  end do
  stopped = stopped_images()
  call require(lbound(stopped, 1) == 1, 'lower bound')
  ! Odd images may be through by now.
  call require(all(pack(stopped, mod(stopped, 2) == 0) == [(i, i=2, num_images(), 2)]), 'which')
  call require(all(stopped(2:) > stopped(:size(stopped) - 1)), 'in order')
  wide = stopped_images(kind=8)
  call require(all(pack(wide, mod(wide, 2) == 0) == [(i, i=2, num_images(), 2)]), 'of another kind')
  call require(size(failed_images()) == 0, 'none has failed')
  call require_equal(image_status(me), 0, 'own status')
  sync all (stat=status)
  if (num_images() > 1) call require_equal(status, stat_stopped_image, 'stat of sync all')
end program
