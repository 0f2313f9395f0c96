!> All images but the first one make a mistake that libgfortran reports: what the argument names.
program run_time_errors
  implicit none
  integer :: array(10), number
  character(20) :: what
  integer, pointer :: nowhere

  call get_command_argument(1, what)
  nowhere => null()
  sync all
  if (this_image() == 1) then
    sync all
    stop
  end if
  select case (what)
  case ('subscript')
    number = 11
  case ('own subscript')
    number = 10 + this_image()
  case ('input')
    read (what(1:0), *) number
  case ('signal')
    nowhere = 1
  end select
  array(number) = 1
  print *, array
end program run_time_errors
