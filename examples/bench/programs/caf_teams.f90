!> The benchmark of teams: one source for every coarray library. See `caf_timing` for its output.
program caf_teams
  use caf_team_collective, only: run_team_collectives
  use caf_team_sync, only: run_team_construction, run_team_sync
  use caf_timing, only: finish_timing, start_timing
  implicit none

  call start_timing()
  call run_team_sync()
  call run_team_construction()
  call run_team_collectives()
  call finish_timing()
end program caf_teams
