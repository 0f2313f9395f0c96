!> Prints a line before SYNC ALL, and then does what its argument says, until the job is ended. It says on standard error that it
!> has begun.
program kept
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_null_ptr, c_f_pointer
  use, intrinsic :: iso_fortran_env, only: error_unit, event_type
  implicit none
  interface
    integer(c_int) function pause_process() bind(c, name='pause')
      import :: c_int
    end function
  end interface
  character(10) :: what
  type(event_type) :: never[*]
  logical, volatile :: forever = .true.
  integer, pointer :: nothing
  integer(c_int) :: ignored
  integer :: i

  call get_command_argument(1, what)
  print '(a, i0)', 'before ', this_image()
  sync all
  write (error_unit, '(a, i0, 1x, i0)') 'begun ', this_image(), getpid()
  select case (what)
  case ('compute')
    do while (forever)
    end do
  case ('sleep')
    do while (forever)
      ignored = pause_process()
    end do
  case ('write')
    i = 0
    do while (forever)
      i = i + 1
      write (10, '(i0, 1x, 80i1)') i, spread(modulo(i, 10), 1, 80)
      if (modulo(i, 10000) == 0) rewind (10)
    end do
  case ('deadlock')
    event wait (never)
  case ('crash')
    call c_f_pointer(c_null_ptr, nothing)
    nothing = 1
  case ('fail')
    if (this_image() == 2) fail image
    sync all (stat=i)
  case ('wait')
    if (this_image() == 1) then
      do while (forever)
      end do
    end if
    sync all ! waited for
  case ('print')
    if (this_image() == 1) then
      print '(a)', (repeat('x', 79), i = 1, 100000)
      write (error_unit, '(a)') 'printed'
    end if
    do while (forever)
      ignored = pause_process()
    end do
  case ('go on')
    do while (forever .and. this_image() == 1)
      print '(a)', 'x'
    end do
    do while (forever)
      ignored = pause_process()
    end do
  end select
end program
