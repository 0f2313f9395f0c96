!> Says on which process each image runs, and then waits: for SIGUSR1, for ever, or busily.
program signals
  use victim
  implicit none
  integer, parameter :: sigusr1 = 10
  character(20) :: what
  logical, volatile :: arrived = .false.
  integer :: k

  call get_command_argument(1, what)
  call signal(sigusr1, on_signal)
  sync all
  print '(a, i0, 1x, i0)', 'ready ', this_image(), getpid()
  flush (6)
  select case (what)
  case ('sync-all')
    if (this_image() /= 1) then
      sync all
    else
      call nap(600000)
    end if
  case ('compute')
    do while (.not. arrived)
    end do
  case default
    do k = 1, 6000
      if (arrived) exit
      call nap(10)
    end do
  end select
  print '(a, i0)', 'signal ', this_image()

contains

  subroutine on_signal(number)
    integer, value :: number
    arrived = number == sigusr1
  end subroutine
end program
