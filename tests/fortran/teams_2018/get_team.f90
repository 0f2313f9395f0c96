!> GET_TEAM: the current, the parent and the initial team, also as argument of TEAM_NUMBER and CHANGE TEAM.
! Not with gfortran before 16: no GET_TEAM.
program get_team_values
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type, initial_team, parent_team, current_team
  implicit none
  type(team_type) :: world, half, alone, t
  integer :: me, n, mine

  me = this_image(); n = num_images(); mine = 1 + mod(me, 2)
  world = get_team()
  call require_equal(team_number(world), -1, 'number of the initial team')
  form team (mine, half)
  change team (half)
    t = get_team(current_team)
    call require_equal(team_number(t), mine, 'current team')
    t = get_team(parent_team)
    call require_equal(team_number(t), -1, 'parent team')
    form team (this_image(), alone)
    change team (alone)
      t = get_team(parent_team)
      call require_equal(team_number(t), mine, 'parent of the innermost')
      t = get_team(initial_team)
      call require_equal(team_number(t), -1, 'initial team')
      call require_equal(num_images(t), n, 'images of the initial team')
      call require_equal(this_image(t), me, 'image in the initial team')
      change team (t)
        call require(this_image() == me .and. num_images() == n, 'initial team entered again')
      end team
      call require_equal(num_images(), 1, 'back')
    end team
  end team
end program
