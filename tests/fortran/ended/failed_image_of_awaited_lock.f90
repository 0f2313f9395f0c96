!> LOCK that waits for a lock on an image that fails: the variable is lost, so the wait ends, whatever its owner does.
program failed_image_of_awaited_lock
  use checks
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, int64, lock_type, stat_failed_image
  implicit none
  type(lock_type) :: guard[*]
  integer(atomic_int_kind) :: state[*]
  integer, parameter :: locked = 1, about_to_wait = 2, done = 3
  integer :: me, status

  me = this_image()
  state = 0
  sync all
  if (num_images() >= 3) then
    select case (me)
    case (1)
      lock (guard[2])
      call atomic_define (state[3], locked)
      call await(done)
      unlock (guard[2], stat=status)
    case (2)
      call await(about_to_wait)
      call nap()
      fail image
    case (3)
      call await(locked)
      call atomic_define (state[2], about_to_wait)
      status = 77
      lock (guard[2], stat=status)
      call require_equal(status, stat_failed_image, 'lock on an image that failed during the wait')
      call atomic_define (state[1], done)
    end select
  end if

contains

  !> Waits until another image has set this image's state.
  subroutine await(expected)
    integer, intent(in) :: expected
    integer(atomic_int_kind) :: now

    do
      call atomic_ref (now, state)
      if (now == expected) exit
      call nap()
    end do
  end subroutine

  !> A tenth of a second, in which another image begins to wait.
  subroutine nap()
    integer(int64) :: start, now, rate

    call system_clock (start, rate)
    do
      call system_clock (now)
      if (10 * (now - start) > rate) exit
    end do
  end subroutine
end program
