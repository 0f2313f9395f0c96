!> Ends by STOP, or by ERROR STOP.
program ends
  implicit none
  character(10) :: what
  call get_command_argument(1, what)
  sync all
  if (what == 'error') error stop 3
end program
