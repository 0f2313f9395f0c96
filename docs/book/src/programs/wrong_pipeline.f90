program wrong_pipeline
  use, intrinsic :: iso_fortran_env, only: event_type
  implicit none
  type(event_type) :: filled[*]
  ! Image 2 is to post before it waits for image 1.
  if (this_image() == 1) then
    event wait (filled)
  end if
  sync all
  if (this_image() == 2) event post (filled[1])
end program wrong_pipeline
