!> gfortran's DISTANCE argument: THIS_IMAGE and NUM_IMAGES of the teams around the current one.
! Not with gfortran 16 and later: DISTANCE is no argument any more.
program distances
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: half, alone
  integer :: me, n, in_half, of_half

  me = this_image(); n = num_images()
  form team (1 + mod(me, 2), half)
  change team (half)
    in_half = this_image(); of_half = num_images()
    call require(this_image(distance=0) == in_half .and. num_images(distance=0) == of_half, 'the current team')
    call require(this_image(distance=1) == me .and. num_images(distance=1) == n, 'the initial team')
    form team (in_half, alone)
    change team (alone)
      call require(this_image(distance=1) == in_half .and. num_images(distance=1) == of_half, 'the parent')
      call require(this_image(distance=2) == me .and. num_images(distance=2) == n, 'its parent')
      ! Further away there is nothing but the initial team.
      call require(this_image(distance=9) == me .and. num_images(distance=9) == n, 'beyond')
    end team
  end team
  call require(this_image(distance=1) == me .and. num_images(distance=1) == n, 'beyond the initial team')
end program
