!> SYNC ALL with stat= after images have stopped is STAT_STOPPED_IMAGE, every time, with a text in errmsg=.
program stopped_sync_all
  use checks
  use, intrinsic :: iso_fortran_env, only: stat_stopped_image
  implicit none
  integer :: me, n, k, status
  character(100) :: message

  me = this_image(); n = num_images()
  sync all
  if (n > 1 .and. me == n) stop
  do k = 1, 5
    status = 77
    sync all (stat=status)
    call require_equal(status, merge(stat_stopped_image, 0, n > 1), 'stat')
  end do
#if __GNUC__ >= 16
  message = 'untouched'
  sync all (stat=status, errmsg=message)
  call require((message == 'untouched') .eqv. n == 1, 'errmsg: ' // message)
#endif
end program
