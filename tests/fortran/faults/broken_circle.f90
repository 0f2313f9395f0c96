!> Image 1 waits for a lock of image 2, and image 2 for all images. Image 3 computes for a while and stops, which ends the
!> wait of image 2 by its `stat=`. So nothing is wrong.
program broken_circle
  use, intrinsic :: iso_fortran_env, only: lock_type, stat_stopped_image
  implicit none
  type(lock_type), save :: first[*]
  integer :: status, now, then, rate

  if (this_image() == 2) lock (first[1])
  sync all
  select case (this_image())
  case (1)
    lock (first[1])
    unlock (first[1])
  case (2)
    sync all (stat=status)
    if (status /= stat_stopped_image) error stop 'image 3 has not stopped'
    unlock (first[1])
  case (3)
    call system_clock(then, rate)
    do
      call system_clock(now)
      if (now - then > 3 * rate) exit
    end do
  end select
end program broken_circle
