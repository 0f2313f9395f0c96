!> SYNC IMAGES with stat=: STAT_STOPPED_IMAGE when one of the images of the set has stopped, 0 when only others have.
program stopped_sync_images
  use checks
  use, intrinsic :: iso_fortran_env, only: stat_stopped_image
  implicit none
  integer :: me, n, k, i, status

  me = this_image(); n = num_images()
  sync all
  if (n > 1 .and. me == n) stop
  ! Those that are left, among themselves.
  do k = 1, 5
    status = 77
    sync images ([(i, i = 1, max(1, n - 1))], stat=status)
    call require_equal(status, 0, 'stat among those that are left')
  end do
  if (n > 1) then
    do k = 1, 3
      status = 77
      sync images (n, stat=status)
      call require_equal(status, stat_stopped_image, 'stat with the image that has stopped')
    end do
    status = 77
    sync images (*, stat=status)
    call require_equal(status, stat_stopped_image, 'stat with all images')
  end if
end program
