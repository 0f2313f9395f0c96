! Correct programs in which one image comes late, each time another one: it computes, sleeps or runs a
! command, while the others wait in all kinds of statements for longer than it takes to look for deadlocks.
module lateness
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  interface
    integer(c_int) function usleep(us) bind(c)
      import c_int
      integer(c_int), value :: us
    end function usleep
  end interface
contains

  ! Takes about 0.6 s, in one of three ways.
  subroutine be_late(way)
    integer, intent(in) :: way
    integer(int64) :: start, now, rate
    integer :: status
    select case (mod(way, 3))
    case (0)
      call system_clock(start, rate)
      do
        call system_clock(now)
        if (now - start > 6 * rate / 10) exit
      end do
    case (1)
      if (usleep(600000_c_int) /= 0) error stop 'usleep'
    case (2)
      call execute_command_line('sleep 0.6', exitstat=status)
      if (status /= 0) error stop 'sleep'
    end select
  end subroutine be_late
end module lateness

program late
  use, intrinsic :: iso_fortran_env, only: event_type, lock_type, team_type
  use lateness
  implicit none
  type(event_type), save :: e[*]
  type(lock_type), save :: guard[*]
  integer, save :: total[*]
  integer, allocatable :: a(:)[:]
  type(team_type) :: team
  integer :: me, n, k, late_one, x, next
  me = this_image()
  n = num_images()
  next = mod(me, n) + 1
  total = 0
  sync all
  do k = 1, 7
    late_one = mod(3 * k, n) + 1
    if (me == late_one) call be_late(k)
    select case (k)
    case (1)
      sync all
    case (2)
      x = me
      call co_sum(x)
      if (x /= n * (n + 1) / 2) error stop 'co_sum'
    case (3)
      ! A chain of events that begins at the late image.
      if (me /= late_one) event wait (e)
      if (next /= late_one) event post (e[next])
    case (4)
      if (n == 2) sync images (next)
      if (n > 2) sync images ([mod(me + n - 2, n) + 1, next])
    case (5)
      ! The late image holds the lock for a while.
      lock (guard[1])
      if (me == late_one) call be_late(1)
      total[1] = total[1] + 1
      unlock (guard[1])
      critical
        total[1] = total[1] + 1
      end critical
    case (6)
      form team (1 + mod(me, 2), team)
      change team (team)
        x = 1
        call co_max(x)
      end team
    case (7)
      allocate (a(5)[*])
      deallocate (a)
    end select
  end do
  sync all
  if (total[1] /= 2 * n) error stop 'lock'
end program late
