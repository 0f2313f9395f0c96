!> Image 2 of 4 or more is killed at the point that the first argument names. The others meet its absence there
!> and in a sync all afterwards; when the second argument is "stat" they ask for stat= and go on.
program killed
  use victim
  use, intrinsic :: iso_fortran_env, only: output_unit, event_type, lock_type, stat_failed_image, stat_stopped_image
  implicit none
  integer, parameter :: who = 2, early = 40, late = 120
  character(20) :: point, mode
  logical :: asks, mine
  integer :: me, n, status, k, x
  integer :: a(1000)[*], got(1000), its_process
  real(8), allocatable :: big(:), work(:)[:]
  type(event_type) :: ready[*]
  type(lock_type) :: guard[*]

  call get_command_argument(1, point)
  call get_command_argument(2, mode)
  asks = mode == 'stat'
  me = this_image(); n = num_images(); mine = me == who
  a = me; status = 0
  its_process = process()
  call co_broadcast(its_process, source_image=who)
  allocate (big(50000))
  big = me
  if (point == 'lock-wait' .and. me == 1) then
    lock (guard[1])
  end if
  sync all
  if (mine) call die_after(early)

  select case (point)
  case ('compute')
    do while (mine)
      x = ieor(x, 1)
    end do
  case ('sync-all')
    ! All wait for image 1, and image 2 dies among them.
    if (me == 1) call until_gone(its_process)
    call meet_all()
  case ('sync-images')
    ! Image 2 dies waiting for image 4, image 3 waits for image 2 then, image 1 comes after its death.
    if (mine) then
      sync images (4)
    else if (me == 1 .or. me == 3) then
      if (me == 1) call until_gone(its_process)
      if (asks) then
        sync images (who, stat=status)
        call require_failure_stat('sync images')
      else
        sync images (who)
      end if
    end if
  case ('event-wait')
    ! Image 1 waits for a post that only image 2 could have made.
    if (mine) event wait (ready)
    if (me == 1) then
      if (asks) then
        event wait (ready, stat=status)
        if (status == 0) error stop 'event wait: posted by no image'
      else
        event wait (ready)
      end if
    end if
  case ('lock-wait')
    ! The lock is free again when image 1 unlocks it, whichever image has waited for it.
    if (mine) then
      lock (guard[1])
    else if (me == 1) then
      call until_gone(its_process)
      unlock (guard[1])
    else
      call until_gone(its_process)
      lock (guard[1], stat=status)
      unlock (guard[1], stat=status)
      if (status /= 0) error stop 'unlock: the lock was not free'
    end if
  case ('lock-held')
    if (mine) then
      lock (guard[1])
      call nap(1000 * late)
    end if
    call nap(early / 2)
    if (asks) then
      lock (guard[1], stat=status)
      if (status == stat_failed_image) error stop 'lock: the lock of an image that failed is free'
      unlock (guard[1], stat=status)
    else
      lock (guard[1])
      unlock (guard[1])
    end if
  case ('critical')
    if (.not. mine) call nap(early / 2)
    critical
      if (mine) call nap(1000 * late)
    end critical
  case ('put-loop')
    do k = 1, merge(huge(k), 2000, mine)
      if (asks) then
        a(:)[modulo(me + mod(k, n), n) + 1, stat=status] = k
      else
        a(:)[modulo(me + mod(k, n), n) + 1] = k
      end if
    end do
    call nap(late)
  case ('get-loop')
    do k = 1, merge(huge(k), 2000, mine)
      if (asks) then
        got = a(:)[modulo(me + mod(k, n), n) + 1, stat=status]
      else
        got = a(:)[modulo(me + mod(k, n), n) + 1]
      end if
    end do
    call nap(late)
  case ('co-sum')
    do while (status == 0)
      x = 1
      if (asks) then
        call co_sum(x, stat=status)
      else
        call co_sum(x)
      end if
    end do
    call require_failure_stat('co_sum')
  case ('co-sum-large')
    do while (status == 0)
      big = 1
      if (asks) then
        call co_sum(big, stat=status)
      else
        call co_sum(big)
      end if
    end do
    call require_failure_stat('co_sum')
  case ('co-broadcast')
    do while (status == 0)
      if (asks) then
        call co_broadcast(big, source_image=who, stat=status)
      else
        call co_broadcast(big, source_image=who)
      end if
    end do
    call require_failure_stat('co_broadcast')
  case ('allocate')
    do while (status == 0)
      if (asks) then
        allocate (work(1000)[*], stat=status)
        if (status == 0) deallocate (work, stat=status)
      else
        allocate (work(1000)[*])
        deallocate (work)
      end if
    end do
    if (status /= 0 .and. .not. asks) error stop 'allocate: no error'
  case default
    error stop 'killed: unknown point'
  end select

  call meet_all()
  print '(a, i0)', 'went on: ', me
  flush (output_unit)
  ! Who ends early gives the others another reason.
  call nap(late)

contains

  subroutine meet_all()
    if (asks) then
      do k = 1, 3
        sync all (stat=status)
      end do
      call require_failure_stat('sync all')
    else
      sync all
    end if
  end subroutine

  subroutine require_failure_stat(what)
    character(*), intent(in) :: what
    character(12) :: number
    ! The standard prefers STAT_STOPPED_IMAGE, and faster survivors may have stopped.
    if (status == stat_failed_image .or. status == stat_stopped_image) return
    write (number, '(i0)') status
    error stop what // ': stat is ' // trim(number) // ', should be STAT_FAILED_IMAGE'
  end subroutine
end program
