!> Ends in the way that the first argument names. The second one is the image that does so (0: all of them),
!> the third one is what the others do meanwhile.
program ends
  use, intrinsic :: iso_fortran_env, only: event_type, lock_type, output_unit
  use victim
  implicit none
  character(20) :: how, who, others
  integer :: image, status
  type(event_type) :: never[*]
  type(lock_type) :: guard[*]
  integer :: x

  call get_command_argument(1, how)
  call get_command_argument(2, who)
  call get_command_argument(3, others)
  read (who, *, iostat=status) image
  if (status /= 0) image = 0
  if (others == 'lock' .and. this_image() == image) then
    lock (guard[1])
  end if
  sync all
  if (image == 0 .or. image == this_image()) then
    ! The others are to be in their waits by then.
    if (image /= 0) call nap(50)
    call finish()
  else
    call carry_on()
  end if
  print '(a, i0, a)', 'image ', this_image(), ' reached the end'

contains

  subroutine finish()
    integer :: code
    character(20) :: code_text

    select case (how)
    case ('end')
    case ('stop')
      stop
    case ('stop-7')
      stop 7
    case ('stop-256')
      stop 256
    case ('stop-text')
      stop 'enough'
    case ('stop-exception')
      call divide_by_zero()
      stop 12
    case ('error-stop-exception')
      call divide_by_zero()
      error stop
    case ('stop-exception-quiet')
      call divide_by_zero()
      stop 13, quiet=.true.
    case ('stop-quiet')
      stop 8, quiet=.true.
    case ('error-stop')
      error stop
    case ('error-stop-9')
      error stop 9
    case ('error-stop-256')
      error stop 256
    case ('error-stop-text')
      error stop 'too bad'
    case ('error-stop-quiet')
      error stop 10, quiet=.true.
    case ('exit-0')
      call exit(0)
    case ('exit-11')
      call exit(11)
    case ('run-time-error')
      code_text = 'no number'
      read (code_text, '(i5)') code
      print *, code
    case ('abort')
      call abort()
    case ('leave-0')
      call leave(0)
    case ('leave-5')
      call leave(5)
    case ('kill')
      call die_now()
    case default
      error stop 'ends: unknown way'
    end select
  end subroutine

  !> Leaves IEEE_DIVIDE_BY_ZERO signalling.
  subroutine divide_by_zero()
    real, volatile :: zero, quotient
    zero = 0
    quotient = 1 / zero
  end subroutine

  subroutine carry_on()
    select case (others)
    case ('sync-all')
      sync all
    case ('sync-images')
      sync images (image)
    case ('event')
      event wait (never)
    case ('lock')
      lock (guard[1])
    case ('co-sum')
      x = 1
      call co_sum(x)
    case ('compute')
      x = 0
      do
        x = ieor(x, 1)
        if (x == 2) exit
      end do
    case ('sleep')
      call nap(600000)
    case ('end')
    case default
      error stop 'ends: unknown occupation'
    end select
  end subroutine
end program
