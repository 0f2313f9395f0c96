!> SYNC IMAGES with stat= after FAIL IMAGE: STAT_FAILED_IMAGE when the image is in the set, and the others synchronise.
program failed_sync_images
  use checks
  use, intrinsic :: iso_fortran_env, only: stat_failed_image
  implicit none
  integer :: value[*], me, n, k, i, status

  me = this_image(); n = num_images(); value = 0
  sync all
  if (n > 1 .and. me == 1) fail image
  do k = 1, 10
    if (n > 1) then
      value[1 + modulo(me - 1, n - 1) + 1] = k
      status = 77
      sync images (*, stat=status)
      call require_equal(status, stat_failed_image, 'stat with all images')
      call require_equal(value, k, 'what another image has put')
      status = 77
      sync images (1, stat=status)
      call require_equal(status, stat_failed_image, 'stat with the failed image')
    end if
    status = 77
    sync images ([(i, i = min(2, n), n)], stat=status)
    call require_equal(status, 0, 'stat without the failed image')
  end do
end program
