! Image 2 ends the job, as its argument says; the others wait for it.
program error_stop_of_one
  implicit none
  character(16) :: how
  call get_command_argument(1, how)
  if (this_image() == 2) then
    select case (how)
    case ("loud")
      error stop 7
    case ("text")
      error stop "too hot"
    case ("quiet")
      error stop 7, quiet=.true.
    end select
  end if
  sync all
end program error_stop_of_one
