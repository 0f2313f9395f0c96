!> stat= is zero and errmsg= untouched after FORM TEAM, CHANGE TEAM, END TEAM and SYNC TEAM that succeeded.
! Not with gfortran before 16: no stat= in statements of teams.
program with_stat
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: half
  integer :: status
  character(30) :: message

  message = 'untouched'; status = 77
  form team (1 + mod(this_image(), 2), half, stat=status, errmsg=message)
  call require(status == 0 .and. message == 'untouched', 'form team')
  status = 77
  sync team (half, stat=status, errmsg=message)
  call require(status == 0 .and. message == 'untouched', 'sync team')
  status = 77
  change team (half, stat=status, errmsg=message)
    call require(status == 0 .and. message == 'untouched', 'change team')
    status = 77
    sync all (stat=status, errmsg=message)
    call require(status == 0 .and. message == 'untouched', 'sync all')
    status = 77
  end team (stat=status, errmsg=message)
  call require(status == 0 .and. message == 'untouched', 'end team')
end program
