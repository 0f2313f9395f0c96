!> An image fails in its team: SYNC ALL and collectives of that team say so, the other team does not notice.
program failed_in_team
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type, stat_failed_image
  implicit none
  type(team_type) :: half
  integer :: me, n, mine, x, status, victim
  logical :: concerned

  me = this_image(); n = num_images(); mine = 1 + mod(me, 2)
  ! The last image fails; those that have its parity know it.
  concerned = mod(me, 2) == mod(n, 2) .and. n > 1
  form team (mine, half)
  change team (half)
    if (n > 1 .and. me == n) fail image
    status = 77
    sync all (stat=status)
    call require_equal(status, merge(stat_failed_image, 0, concerned), 'sync all in the team')
    status = 77; x = 1
    call co_sum(x, stat=status)
    call require_equal(status, merge(stat_failed_image, 0, concerned), 'co_sum in the team')
    victim = num_images()
    call require_equal(size(failed_images()), merge(1, 0, concerned), 'failed images of the team')
    if (concerned) call require_equal(image_status(victim), stat_failed_image, 'image_status in the team')
    ! END TEAM of gfortran has no stat= before 16. No image ends before the others have seen what they look for.
    sync images ([(x, x = 1, num_images() - merge(1, 0, concerned))])
    if (n > 1) stop
  end team
end program
