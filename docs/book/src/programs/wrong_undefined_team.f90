program wrong_undefined_team
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: row
  change team (row)                 ! FORM TEAM was forgotten
  end team
end program wrong_undefined_team
