!> A lock that a failed image held, or that lies on one: LOCK with stat= says so and no image waits for ever.
program failed_locks
  use checks
  use, intrinsic :: iso_fortran_env, only: lock_type, stat_failed_image
  implicit none
  type(lock_type) :: guard(2)[*]
  ! Fortran 2018's STAT_UNLOCKED_FAILED_IMAGE, which compilers before gfortran 16 do not have.
  integer, parameter :: stat_unlocked_failed_image = 6002
  integer :: me, n, status
  logical :: mine

  me = this_image(); n = num_images()
  if (n > 1 .and. me == n) then
    lock (guard(1)[1])
  end if
  sync all
  if (n > 1 .and. me == n) fail image
  if (n > 1 .and. me == 1) then
    do while (image_status(n) == 0)
    end do
    status = 77
    lock (guard(1)[1], stat=status)
    call require_equal(status, stat_unlocked_failed_image, 'lock that the failed image held')
    status = 77
    unlock (guard(1)[1], stat=status)
    call require_equal(status, 0, 'unlock')
    status = 77
    lock (guard(1)[1], stat=status)
    call require_equal(status, 0, 'lock once more')
    unlock (guard(1)[1])
    status = 77
    lock (guard(2)[n], stat=status)
    call require_equal(status, stat_failed_image, 'lock on the failed image')
    status = 77; mine = .true.
    lock (guard(2)[n], acquired_lock=mine, stat=status)
    call require(status == stat_failed_image, 'lock on the failed image with acquired_lock=')
  end if
end program
