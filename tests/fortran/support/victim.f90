!> Ways in which an image ends: an exit that no image is notified of; death by SIGKILL from within the program, at once or
!> by a timer while the image is busy or waits. Procedures that wait for such an end, and naps.
module victim
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: leave, die_now, die_after, nap, process, until_gone

  integer(c_int), parameter :: sigkill = 9, clock_monotonic = 1

  type, bind(C) :: sigevent
    integer(c_intptr_t) :: value = 0
    integer(c_int) :: signal = sigkill
    integer(c_int) :: notify = 0
    integer(c_int8_t) :: rest(48) = 0
  end type

  type, bind(C) :: itimerspec
    integer(c_long) :: interval_s = 0, interval_ns = 0
    integer(c_long) :: value_s = 0, value_ns = 0
  end type

  interface
    integer(c_int) function raise(signal) bind(C)
      import
      integer(c_int), value :: signal
    end function
    !> The number of this process.
    integer(c_int) function process() bind(C, name='getpid')
      import
    end function
    integer(c_int) function kill(process, signal) bind(C)
      import
      integer(c_int), value :: process, signal
    end function
    integer(c_int) function timer_create(clock, event, timer) bind(C)
      import
      integer(c_int), value :: clock
      type(sigevent), intent(in) :: event
      type(c_ptr), intent(out) :: timer
    end function
    integer(c_int) function timer_settime(timer, flags, new, old) bind(C)
      import
      type(c_ptr), value :: timer, old
      integer(c_int), value :: flags
      type(itimerspec), intent(in) :: new
    end function
    subroutine leave_at_once(status) bind(C, name='_exit')
      import
      integer(c_int), value :: status
    end subroutine
    integer(c_int) function usleep(microseconds) bind(C)
      import
      integer(c_int), value :: microseconds
    end function
  end interface

contains

  !> Leaves the program with this exit status, past all exit handlers.
  subroutine leave(status)
    integer, intent(in) :: status
    call leave_at_once(int(status, c_int))
  end subroutine

  !> Kills this image.
  subroutine die_now()
    integer(c_int) :: ignored
    ignored = raise(sigkill)
  end subroutine

  !> Kills this image `milliseconds` from now, whatever it does then.
  subroutine die_after(milliseconds)
    integer, intent(in) :: milliseconds
    type(c_ptr) :: timer
    integer(c_int) :: status

    status = timer_create(clock_monotonic, sigevent(), timer)
    if (status == 0) then
      status = timer_settime(timer, 0_c_int, itimerspec(value_s=milliseconds / 1000, &
                                                        value_ns=mod(milliseconds, 1000) * 1000000_c_long), c_null_ptr)
    end if
    if (status /= 0) error stop 'die_after: no timer'
  end subroutine

  !> Waits until a process is gone, without asking the library.
  subroutine until_gone(number)
    integer(c_int), intent(in) :: number
    do while (kill(number, 0_c_int) == 0)
      call nap(2)
    end do
  end subroutine

  !> Sleeps; signals may end it early.
  subroutine nap(milliseconds)
    integer, intent(in) :: milliseconds
    integer(c_int) :: ignored
    ignored = usleep(int(milliseconds * 1000, c_int))
  end subroutine
end module
