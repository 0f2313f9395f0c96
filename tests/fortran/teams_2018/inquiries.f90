!> NUM_IMAGES and THIS_IMAGE with TEAM and TEAM_NUMBER, IMAGE_STATUS and the lists of images with TEAM.
! Not with gfortran before 16: no TEAM arguments.
program inquiries
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: half
  integer :: me, n, mine, here

  me = this_image(); n = num_images(); mine = 1 + mod(me, 2)
  form team (mine, half)
  here = (me + 1) / 2
  call require_equal(num_images(half), merge(n / 2, (n + 1) / 2, mine == 1), 'num_images(team)')
  call require_equal(this_image(half), here, 'this_image(team)')
  call require_equal(image_status(here, half), 0, 'image_status')
  call require(size(failed_images(half)) == 0 .and. size(stopped_images(half)) == 0, 'lists')
  call require_equal(num_images(-1), n, 'num_images of the initial team by its number')
  change team (half)
    call require_equal(num_images(2), (n + 1) / 2, 'num_images(team_number) of the odd ones')
    if (n > 1) call require_equal(num_images(1), n / 2, 'num_images(team_number) of the even ones')
  end team
end program
