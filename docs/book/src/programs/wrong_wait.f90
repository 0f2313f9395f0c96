program wrong_wait
  use, intrinsic :: iso_fortran_env, only: event_type
  implicit none
  type(event_type) :: ready[*]
  event wait (ready)                ! no image posts
end program wrong_wait
