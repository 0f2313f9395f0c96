program wrong_stopped
  implicit none
  if (this_image() == 2) stop       ! the others wait for it below
  sync all
end program wrong_stopped
