!> CHANGE TEAM and END TEAM synchronise the images of the team: what was put before is there after.
program left_behind
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: team
  integer :: a(8)[*]
  integer :: me, n, k, i, first, step, here, place

  me = this_image(); n = num_images()
  a = 0
  form team (1 + mod(me, 2), team)
  first = merge(2, 1, mod(me, 2) == 0); step = 2
  here = (n - first) / step + 1
  place = (me - first) / step + 1
  sync all
  do k = 1, 60
    ! Image indices of the initial team before, of the team within, of the initial team after.
    do i = 1, here
      a(place)[first + step * (i - 1)] = 3 * k
    end do
    change team (team)
      call require(all(a(:here) == 3 * k), 'after CHANGE TEAM')
      sync all
      do i = here, 1, -1
        a(place)[i] = 3 * k + 1
      end do
    end team
    call require(all(a(:here) == 3 * k + 1), 'after END TEAM')
    sync team (team)
  end do
end program
