program wrong_order
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: half
  if (this_image() == 1) then
    sync all
  else
    form team (1, half)             ! image 1 executes SYNC ALL
  end if
end program wrong_order
