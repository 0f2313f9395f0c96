! A Fortran program that calls C functions, which work on the current team, on the
! team of a Fortran variable, and on the memory of a coarray.
program calls_c
  use, intrinsic :: iso_fortran_env, only: team_type
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr, c_loc, c_double
  implicit none (type, external)

  interface
    function sum_over_current_team(x) result(total) bind(c)
      import :: c_double
      real(c_double), value :: x
      real(c_double) :: total
    end function sum_over_current_team

    function count_on_team(team) result(images) bind(c)
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: team
      integer(c_int) :: images
    end function count_on_team

    function value_on_image(image, place) result(value) bind(c)
      import :: c_int, c_ptr, c_double
      integer(c_int), value :: image
      type(c_ptr), value :: place
      real(c_double) :: value
    end function value_on_image

    subroutine visit_pairs() bind(c)
    end subroutine visit_pairs
  end interface

  type(team_type) :: half
  real(c_double), target, save :: a[*]
  integer :: me, n, mine, other

  me = this_image()
  n = num_images()
  a = 1.5d0 * me
  mine = mod(me, 2) + 1
  form team (mine, half)
  if (sum_over_current_team(1.0d0) /= n) error stop 'all images'
  if (count_on_team(transfer(half, 0_c_int64_t)) /= (n + mine - 1) / 2) error stop 'on a team'
  change team (half)
    if (sum_over_current_team(1.0d0) /= num_images()) error stop 'the current team'
    do other = 1, num_images()
      if (value_on_image(other, c_loc(a)) /= 1.5d0 * (2 * other - mod(me, 2))) error stop 'coarray'
    end do
    call visit_pairs()
    if (sum_over_current_team(2.0d0) /= 2 * num_images()) error stop 'the same team after C has changed teams'
  end team
  sync all
  if (sum_over_current_team(1.0d0) /= n) error stop 'all images again'
end program calls_c
