!> Collectives and synchronisations after CHANGE TEAM with indices of its own: sums, broadcasts from the new first image.
! Not with gfortran before 16: no NEW_INDEX= in FORM TEAM.
program collectives_in_siblings
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: t
  integer :: me, n, x, y, of_team, k

  me = this_image(); n = num_images()
  of_team = merge(n / 2, (n + 1) / 2, mod(me, 2) == 0)
  form team (1 + mod(me, 2), t, new_index=of_team + 1 - (me + 1) / 2)
  change team (t)
    do k = 1, 10
      x = me; y = me
      call co_broadcast(x, 1)
      call co_max(y)
      ! The first is the one with the greatest index of old.
      call require(x == y, 'broadcast from the new first image')
      x = 1
      call co_sum(x)
      call require_equal(x, of_team, 'sum')
      sync all
    end do
  end team
end program
