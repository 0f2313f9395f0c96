!> SYNC TEAM with a team not yet entered, with the current one and with one around it orders what the images do.
program sync_team_variables
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: everyone, half, pair
  integer :: seen(8)[*]
  integer :: me, n, k, first, images

  me = this_image(); n = num_images()
  seen = 0
  form team (3, everyone)
  form team (1 + mod(me, 2), half)
  first = merge(2, 1, mod(me, 2) == 0)
  images = (n - first) / 2 + 1
  sync all
  ! From outside: the images of one half, in the numbering of the initial team.
  do k = 1, 50
    seen(me)[first + 2 * mod(k, images)] = k
    sync team (half)
    if (me == first + 2 * mod(k, images)) call require(all(seen(first:n:2) == k), 'after sync team from outside')
    sync team (half)
  end do
  change team (everyone)
    form team (1 + mod(me, 2), half)
    change team (half)
      form team ((this_image() + 1) / 2, pair)
      do k = 1, 50
        seen(me)[right_of(this_image())] = -k
        sync team (half)
        call require_equal(seen(first + 2 * (left_of(this_image()) - 1)), -k, 'after sync team with the current team')
        sync team (half)
        if (mod(k, 5) == 0) sync team (everyone)
        sync team (pair)
      end do
      sync team (everyone)
    end team
    sync team (everyone)
  end team
end program
