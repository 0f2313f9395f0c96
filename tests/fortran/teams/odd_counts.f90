!> Teams of very different sizes: one, two, three ... images and the rest, and all but one.
program odd_counts
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: steps, most
  integer :: me, n, team, first, length, x

  me = this_image(); n = num_images()
  team = 1; first = 1
  do while (first + team <= me)
    first = first + team
    team = team + 1
  end do
  length = min(team, n - first + 1)
  form team (team, steps)
  form team (merge(1, 2, me == (n + 1) / 2), most)
  change team (steps)
    call require_equal(num_images(), length, 'images')
    call require_equal(this_image(), me - first + 1, 'image')
    x = me
    call co_sum(x)
    call require_equal(x, length * first + length * (length - 1) / 2, 'sum')
  end team
  change team (most)
    x = me
    call co_sum(x)
    if (me == (n + 1) / 2) then
      call require_equal(x, me, 'the one')
    else
      call require_equal(x, n * (n + 1) / 2 - (n + 1) / 2, 'all but one')
      call require_equal(this_image(), merge(me - 1, me, me > (n + 1) / 2), 'image among all but one')
    end if
  end team
end program
