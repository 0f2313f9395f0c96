!> Image 2 ends, and the images that are left wait for one another: image 1 in EVENT WAIT, the others in what the third argument
!> names. With "post" they post to image 2 instead. The first argument says how image 2 ends; when the second one is "stat" the event waits ask for stat=, and the
!> program goes on.
program event_waits
  use victim, only: die_now
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: output_unit, event_type, lock_type, team_type, stat_failed_image, stat_stopped_image
  implicit none
  interface
    integer(c_int) function raise(signal) bind(C)
      import :: c_int
      integer(c_int), value :: signal
    end function
    subroutine leave(status) bind(C, name='exit')
      import :: c_int
      integer(c_int), value :: status
    end subroutine
  end interface
  integer, parameter :: who = 2, large = 300000, sigabrt = 6, sigsegv = 11
  character(20) :: how, mode, others
  type(event_type) :: ready[*]
  type(lock_type) :: guard[*]
  type(team_type) :: active
  integer :: me, n, k, status, x
  integer, allocatable :: much(:)

  call get_command_argument(1, how)
  call get_command_argument(2, mode)
  call get_command_argument(3, others)
  me = this_image(); n = num_images()
  status = 0; x = 0
  allocate (much(large), source=me)
  form team (merge(2, 1, me == who), active)
  if (others == 'lock' .and. me == 1) then
    lock (guard[1])
  end if
  sync all
  if (me == who) call ends()

  select case (others)
  case ('ring')
    ! Each waits for the one before it; what was image 2's to do is never done.
    do k = 1, 20
      if (me /= 1 .or. k > 1) call await()
      if (status /= 0) exit
      event post (ready[mod(me, n) + 1], stat=status)
      if (status /= 0) exit
    end do
    if (me == 1 .and. status == 0) call await()
  case ('post')
    do while (image_status(who) == 0)
    end do
    if (mode == 'stat') then
      event post (ready[who], stat=status)
      if (status /= stat_stopped_image) error stop 'event post: the status is not that of a stopped image'
    else
      event post (ready[who])
    end if
  case ('event')
    call await()
    if (status == 0) error stop 'event wait: posted by no image'
  case ('sync-images')
    if (me /= 1) then
      sync images (1)
    else
      call await_in_vain()
      do k = 3, n
        sync images (k)
      end do
    end if
  case ('lock')
    if (me /= 1) then
      lock (guard[1])
      unlock (guard[1])
    else
      call await_in_vain()
      unlock (guard[1])
    end if
  case ('sync-team')
    if (me == 1) call await_in_vain()
    change team (active)
      sync all
    end team
  case ('co-sum')
    change team (active)
      if (me == 1) call await_in_vain()
      call co_sum(x)
    end team
  case ('large')
    change team (active)
      if (me == 1) call await_in_vain()
      call co_max(much)
      call co_broadcast(much, source_image=1)
    end team
    if (any(much /= n)) error stop 'co_max: wrong'
  case ('sync-all')
    if (me == 1) call await_in_vain()
    sync all (stat=x)
    if (x /= stat_failed_image .and. x /= stat_stopped_image) error stop 'sync all: stat= reports no end of an image'
  case default
    error stop 'what do the others wait in?'
  end select
  write (output_unit, '(a,i0)') 'went on: ', me
  flush (output_unit)

contains

  subroutine ends()
    select case (how)
    case ('kill'); call die_now()
    case ('segv'); x = raise(sigsegv)
    case ('abort'); x = raise(sigabrt)
    case ('exit'); call leave(0_c_int)
    case ('fail'); fail image
    case ('stop'); stop
    end select
    error stop 'image 2 did not end'
  end subroutine

  subroutine await()
    if (mode == 'stat') then
      event wait (ready, stat=status)
    else
      event wait (ready)
    end if
    if (status == stat_failed_image .or. status == stat_stopped_image) error stop 'event wait: the status is not its own'
  end subroutine

  subroutine await_in_vain()
    call await()
    if (status == 0) error stop 'event wait: posted by no image'
  end subroutine
end program
