!> SYNC ALL with stat= after FAIL IMAGE: STAT_FAILED_IMAGE, every time, on all images that are left.
program failed_sync_all
  use checks
  use, intrinsic :: iso_fortran_env, only: stat_failed_image
  implicit none
  integer :: me, n, k, i, status

  me = this_image(); n = num_images()
  sync all
  if (n > 1 .and. me == n) fail image
  do k = 1, 30
    status = 77
    sync all (stat=status)
    call require_equal(status, merge(stat_failed_image, 0, n > 1), 'stat')
  end do
  ! No image ends before: it would have stopped for those that are late.
  sync images ([(i, i = 1, max(1, n - 1))])
end program
