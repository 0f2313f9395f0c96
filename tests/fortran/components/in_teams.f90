!> Through components inside a team: image indices are those of the team.
program in_teams
  use, intrinsic :: iso_fortran_env, only: team_type
  use checks
  implicit none
  type t
    integer, allocatable :: x(:)
  end type
  type(t) :: c[*]
  integer, allocatable :: b(:)
  type(team_type) :: half
  integer :: me, of_team

  me = this_image()
  c%x = [me, 2*me, 3*me]
  of_team = mod(me - 1, 2) + 1
  form team (of_team, half)
  change team (half)
    b = c[num_images()]%x
    call require(size(b) == 3 .and. mod(b(1) - me, 2) == 0, 'the same team')
    call require(all(b == b(1)*[1, 2, 3]), 'contents')
    call require(b(1) == of_team + 2*(num_images() - 1), 'its last image')
  end team
end program
