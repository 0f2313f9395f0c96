!> stat= of lock and unlock: 0, STAT_LOCKED, STAT_UNLOCKED, STAT_LOCKED_OTHER_IMAGE; errmsg= goes with them.
program lock_stat
  use checks
  use, intrinsic :: iso_fortran_env, only: lock_type, stat_locked, stat_unlocked, stat_locked_other_image
  implicit none
  type(lock_type) :: guard[*]
  integer :: me, n, status
  character(60) :: message
  logical :: mine

  me = this_image(); n = num_images()
  if (me == 1) then
    status = 77; message = 'untouched'
    lock (guard[n], stat=status, errmsg=message)
    call require(status == 0 .and. message == 'untouched', 'lock')
    lock (guard[n], stat=status, errmsg=message)
    call require_equal(status, stat_locked, 'lock of a lock that this image holds')
    call require(message /= 'untouched' .and. message /= '', 'errmsg of lock')
    lock (guard[n], acquired_lock=mine, stat=status)
    call require(status == stat_locked, 'lock with acquired_lock= of a lock that this image holds')
  end if
  sync all
  if (me == 2) then
    message = 'untouched'
    unlock (guard[n], stat=status, errmsg=message)
    call require_equal(status, stat_locked_other_image, 'unlock of a lock that another image holds')
    call require(message /= 'untouched' .and. message /= '', 'errmsg of unlock')
    mine = .true.
    lock (guard[n], acquired_lock=mine, stat=status)
    call require(status == 0 .and. .not. mine, 'lock with acquired_lock= of a lock that another image holds')
  end if
  sync all
  if (me == 1) then
    unlock (guard[n], stat=status)
    call require_equal(status, 0, 'unlock')
    unlock (guard[n], stat=status)
    call require_equal(status, stat_unlocked, 'unlock of a lock that no image holds')
    mine = .false.
    lock (guard[n], acquired_lock=mine)
    call require(mine, 'acquired_lock= of a free lock')
    unlock (guard[n])
  end if
end program
