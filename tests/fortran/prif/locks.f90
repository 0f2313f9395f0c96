! Locks and critical constructs protect a counter; acquired_lock, stat of locks that are held or not.
program locks
  use with_prif
  implicit none
  integer, parameter :: rounds = 50
  type(prif_coarray_handle) :: lock, counter, construct
  type(c_ptr) :: memory
  integer(c_int64_t), pointer :: lock_word(:), count_(:)
  integer(c_intptr_t), allocatable :: lock_at(:)
  integer(c_int) :: stat, last
  integer :: i
  logical(c_bool) :: acquired
  character(len=30) :: errmsg
  character(len=:), allocatable :: errmsg_alloc
  type(prif_lock_type), target :: initial

  call prif_allocate_coarray([1_c_int64_t], none, 16_c_size_t, no_final, lock, memory)
  call c_f_pointer(memory, lock_word, [2])
  lock_word(2) = transfer(initial, 0_c_int64_t)
  call prif_allocate_coarray([1_c_int64_t], none, 8_c_size_t, no_final, construct, memory)
  call make(1, 0_c_int64_t, counter, count_)
  call prif_local_data_pointer(lock, memory)
  lock_at = addresses(memory)
  last = images()

  ! The lock is on the last image, the counter on the first.
  do i = 1, rounds
    select case (mod(i, 3))
    case (0)
      call prif_lock(last, lock, 8_c_size_t)
      call add_one()
      call prif_unlock(last, lock, 8_c_size_t)
    case (1)
      call prif_lock_indirect(last, lock_at(last) + 8, stat=stat, errmsg=errmsg, errmsg_alloc=errmsg_alloc)
      call is_fine(stat, 'prif_lock_indirect')
      call add_one()
      call prif_unlock_indirect(last, lock_at(last) + 8, stat, errmsg, errmsg_alloc)
      call is_fine(stat, 'prif_unlock_indirect')
    case (2)
      acquired = .false.
      do while (.not. acquired)
        call prif_lock(last, lock, 8_c_size_t, acquired, stat, errmsg, errmsg_alloc)
        call is_fine(stat, 'prif_lock')
      end do
      call add_one()
      call prif_unlock(last, lock, 8_c_size_t, stat, errmsg, errmsg_alloc)
      call is_fine(stat, 'prif_unlock')
    end select
  end do
  call prif_sync_all()
  if (me() == 1) call require_equal(int(count_(1)), rounds * num_images(), 'the counter under a lock')
  call prif_sync_all()

  count_ = 0
  call prif_sync_all()
  do i = 1, rounds
    if (mod(i, 2) == 0) then
      call prif_critical(construct)
    else
      call prif_critical(construct, stat, errmsg, errmsg_alloc)
      call is_fine(stat, 'prif_critical')
    end if
    call add_one()
    call prif_end_critical(construct)
  end do
  call prif_sync_all()
  if (me() == 1) call require_equal(int(count_(1)), rounds * num_images(), 'the counter in critical')

  ! Of each image its own lock: states that stat tells.
  call prif_unlock(me(), lock, 0_c_size_t, stat, errmsg, errmsg_alloc)
  call require_equal(int(stat), int(PRIF_STAT_UNLOCKED), 'unlocking a lock that is not locked')
  call require(errmsg_alloc == 'prif_unlock: the lock variable is not locked', errmsg_alloc)
  call prif_lock(me(), lock, 0_c_size_t, acquired)
  call require(logical(acquired), 'a free lock')
  call prif_lock(me(), lock, 0_c_size_t, stat=stat)
  call require_equal(int(stat), int(PRIF_STAT_LOCKED), 'locking twice')
  call prif_sync_all()
  if (num_images() > 1) then
    i = right_of(this_image())
    call prif_lock_indirect(int(i, c_int), lock_at(i), acquired)
    call require(.not. logical(acquired), 'a lock of another image')
    call prif_unlock(int(i, c_int), lock, 0_c_size_t, stat)
    call require_equal(int(stat), int(PRIF_STAT_LOCKED_OTHER_IMAGE), 'unlocking the lock of another image')
  end if
  call prif_sync_all()
  call prif_unlock(me(), lock, 0_c_size_t)
  call prif_deallocate_coarrays([lock, counter, construct])

contains

  !> Reads, waits, and writes one more.
  subroutine add_one()
    integer(c_int64_t), target :: value
    call prif_get(1_c_int, counter, 0_c_size_t, c_loc(value), 8_c_size_t)
    value = value + 1
    call prif_put(1_c_int, counter, 0_c_size_t, c_loc(value), 8_c_size_t)
    call prif_sync_memory()
  end subroutine
end program
