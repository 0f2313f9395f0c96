program wrong_event
  use, intrinsic :: iso_fortran_env, only: event_type
  implicit none
  type(event_type) :: ready[*]
  if (this_image() == 2) stop       ! EVENT POST was forgotten
  event wait (ready)
end program wrong_event
