program wrong_team
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: row
  form team (this_image() - 1, row) ! numbers of teams are positive
end program wrong_team
