!> SYNC IMAGES with images of the current team, and SYNC ALL and SYNC IMAGES (*) of the current team only.
program sync_images_in_teams
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: team, inner
  integer :: a[*]
  integer :: k, me, here, rounds
  integer, allocatable :: others(:)

  a = 0
  sync all
  form team (1 + mod(this_image(), 2), team)
  ! The teams go round at different numbers.
  rounds = 20 + 30 * mod(this_image(), 2)
  change team (team)
    me = this_image(); here = num_images()
    others = [(k, k = here, 1, -1)]
    do k = 1, rounds
      a[right_of(me)] = k
      if (here == 1) then
        sync images (1)
      else if (here == 2) then
        sync images (right_of(me))
      else
        sync images ([left_of(me), right_of(me)])
      end if
      call require_equal(a, k, 'ring')
      sync images (*)
      a[left_of(me)] = -k
      sync all
      call require_equal(a, -k, 'all')
      sync images (others)
    end do
    form team (1 + (me - 1) / 2, inner)
    change team (inner)
      do k = 1, rounds
        sync images (num_images())
        if (this_image() == num_images()) sync images (*)
      end do
    end team
  end team
  sync images (*)
end program
