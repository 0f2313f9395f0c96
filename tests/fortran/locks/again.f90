!> Locks of coarrays that are allocated again are unlocked, and so are those that were locked and unlocked before.
program again
  use checks
  use, intrinsic :: iso_fortran_env, only: lock_type
  implicit none
  type(lock_type), allocatable :: guard(:)[:]
  integer :: k, next
  logical :: mine

  next = right_of(this_image())
  do k = 1, 10
    allocate (guard(k)[*])
    lock (guard(k)[next], acquired_lock=mine)
    call require(mine, 'a new lock')
    unlock (guard(k)[next])
    lock (guard(1)[next])
    unlock (guard(1)[next])
    lock (guard(k)[next], acquired_lock=mine)
    call require(mine, 'after unlock')
    unlock (guard(k)[next])
    sync all
    deallocate (guard)
  end do
end program
