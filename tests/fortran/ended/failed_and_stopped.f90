!> One image has failed and one has stopped: SYNC ALL with stat= says that one has stopped, FAILED_IMAGES knows the other.
program failed_and_stopped
  use checks
  use, intrinsic :: iso_fortran_env, only: stat_stopped_image, stat_failed_image
  implicit none
  integer :: me, n, status

  me = this_image(); n = num_images()
  sync all
  if (n >= 3) then
    if (me == 2) fail image
    if (me == 3) stop
    do while (image_status(2) == 0 .or. image_status(3) == 0)
    end do
    status = 77
    sync all (stat=status)
    call require_equal(status, stat_stopped_image, 'sync all')
    call require(image_status(2) == stat_failed_image .and. image_status(3) == stat_stopped_image, 'image_status')
    call require(all(failed_images() == [2]) .and. any(stopped_images() == 3), 'lists')
    status = 77
    sync images (2, stat=status)
    call require_equal(status, stat_failed_image, 'sync images with the failed one')
    status = 77
    sync images ([2, 3], stat=status)
    call require_equal(status, stat_stopped_image, 'sync images with both')
  end if
end program
