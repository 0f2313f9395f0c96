! Programs whose images wait for one another for ever: the argument names the mistake. A comment names each line that the
! test expects in the message. In the partial circles the last image computes until the job ends.
module parts
  use, intrinsic :: iso_fortran_env, only: event_type, lock_type, team_type
  implicit none
  type(event_type), save :: e[*]
  type(lock_type), save :: first[*], second[*], guards(3)[*]
  type(event_type), save :: ready(0:8)[*]
  type(event_type), allocatable :: done(:, :)[:]
  integer, save :: me, n
contains

  subroutine compute
    integer :: k
    real, volatile :: x
    x = 0
    do k = 1, huge(k)
      x = x + sin(real(k))
    end do
    do
      x = x + 1
    end do
  end subroutine compute

  subroutine on_alarm
    event post (e[1])
  end subroutine on_alarm

  subroutine wait_for_event
    event wait (e) ! event wait
  end subroutine wait_for_event
end module parts

program hangs
  use parts
  implicit none
  character(len=40) :: how
  real, allocatable :: a(:)[:]
  type(team_type) :: team
  integer :: x, k
  real :: big(100000)
  me = this_image()
  n = num_images()
  x = me
  big = me
  call get_command_argument(1, how)
  select case (how)
  case ('event on one')
    if (me == 1) call wait_for_event
    sync all ! event on one
  case ('event on all')
    call wait_for_event
  case ('too few posts')
    if (me == 2) event post (e[1])
    if (me == 1) then
      event wait (e, until_count=3) ! too few posts
    end if
    sync all ! others of too few posts
  case ('post to the wrong image')
    if (me == 1) event post (e[3])
    if (me == 2) call wait_for_event
    sync all ! others of post to the wrong image
  case ('crosswise locks')
    if (me == 1) lock (first[1])
    if (me == 2) lock (second[1])
    if (me <= 2) sync images (3 - me)
    if (me == 1) then
      lock (second[1]) ! crosswise lock of image 1
    else if (me == 2) then
      lock (first[1]) ! crosswise lock of image 2
    end if
    call compute
  case ('lock kept')
    if (me == 1) lock (first[1])
    if (me /= 1) then
      call pause
      lock (first[1]) ! lock kept
      unlock (first[1])
    end if
    sync all ! holder of lock kept
  case ('ring')
    if (me < n) sync images (mod(me, n - 1) + 1) ! ring
    call compute
  case ('one-sided sync images')
    if (me == 1) sync images (2) ! one-sided sync images
    sync all ! others of one-sided sync images
  case ('star')
    if (me == 1) sync images (*) ! star
    if (me /= 1 .and. me /= n) sync images (1)
    sync all ! others of star
  case ('missing sync all')
    if (me /= n) sync all ! missing sync all
    if (me == n) call wait_for_event
  case ('order of collectives')
    if (me == 1) then
      call co_sum(x, result_image=2)
      call wait_for_event
    else
      sync all ! others of order of collectives
    end if
  case ('co_sum')
    if (me /= 2) call co_sum(x) ! co_sum
    call wait_for_event
  case ('co_sum of much')
    if (me /= 2) call co_sum(big) ! co_sum of much
    call wait_for_event
  case ('co_broadcast')
    if (me /= 1) call co_broadcast(x, 1) ! co_broadcast
    call wait_for_event
  case ('image outside of its team')
    form team (1 + mod(me, 2), team)
    if (me /= 1) then
      change team (team) ! change to the team
        call co_max(x)
      end team
    end if
    sync all ! image outside of its team
  case ('form team')
    if (me /= n) form team (1, team) ! form team
    if (me == n) call wait_for_event
  case ('change team')
    form team (1, team)
    if (me /= n) then
      change team (team) ! change team
      end team
    end if
    if (me == n) call wait_for_event
  case ('end team')
    form team (1, team)
    change team (team)
      if (me == 1) call wait_for_event
    end team ! end team
  case ('sync team')
    form team (1, team)
    if (me /= 1) sync team (team) ! sync team
    if (me == 1) call wait_for_event
  case ('critical')
    if (me /= 1) call pause
    critical ! critical
      if (me == 1) call wait_for_event
    end critical
  case ('allocate')
    if (me /= 1) then
      allocate (a(10)[*]) ! allocate
    end if
    if (me == 1) call wait_for_event
  case ('deallocate')
    allocate (a(10)[*])
    if (me /= 1) then
      deallocate (a) ! deallocate
    end if
    if (me == 1) call wait_for_event
  case ('lock and event')
    if (me == 1) then
      lock (first[1])
      call wait_for_event
    end if
    if (me == 2) then
      call pause
      lock (first[1]) ! lock and event
      event post (e[1])
    end if
    sync all ! others of lock and event
  case ('elements of an array of events')
    event wait (ready(me)) ! elements of an array of events
  case ('allocatable array of events')
    allocate (done(2:3, 4)[*])
    if (me == 1) then
      event wait (done(3, 2)) ! allocatable array of events
    end if
    sync all ! others of allocatable array of events
  case ('lock of a team')
    if (me <= 2) then
      form team (1, team)
      call compute
    end if
    form team (2, team)
    change team (team)
      if (me == 3) lock (guards(2)[1])
      sync all
      if (me == 4) then
        lock (guards(2)[1]) ! lock of a team
      end if
    end team ! others of lock of a team
  case ('timer')
    ! Its handler could post.
    call signal(14, on_alarm)
    call wait_for_event
  case ('loops of different length')
    do k = 1, 1000 + me / n
      sync all ! loops of different length
    end do
    if (me /= n) call wait_for_event
  case default
    error stop 'no such mistake'
  end select
contains

  ! Lets image 1 lock first.
  subroutine pause
    integer :: now, then, rate
    call system_clock(then, rate)
    do
      call system_clock(now)
      if (now - then > rate / 2) exit
    end do
  end subroutine pause
end program hangs
