!> Events posted to images of the current team, of coarrays from before and from within it.
program events_in_teams
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type, event_type
  implicit none
  type(team_type) :: team
  type(event_type) :: gate[*]
  type(event_type), allocatable :: own(:)[:]
  integer :: k, found, here

  form team (1 + mod(this_image(), 3), team)
  change team (team)
    here = num_images()
    allocate (own(2)[*])
    call event_query(own(2), found)
    call require_equal(found, 0, 'count at the start')
    do k = 1, 30
      event post (gate[right_of(this_image())])
      event wait (gate)
      event post (own(2)[left_of(this_image())])
      event post (own(1)[1])
      event wait (own(2))
    end do
    if (this_image() == 1) then
      event wait (own(1), until_count=30 * here)
      call event_query(own(1), found)
      call require_equal(found, 0, 'count at the end')
    end if
  end team
  call event_query(gate, found)
  call require_equal(found, 0, 'count after END TEAM')
end program
