!> CHANGE TEAM with coarray association: another name for a coarray in the construct.
! Not with gfortran before 16: no coarray association.
program association
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: half
  integer :: a(3)[*], me, n, here, of_half

  me = this_image(); n = num_images(); a = me
  form team (1 + mod(me, 2), half)
  change team (half, b[*] => a)
    here = this_image(); of_half = num_images()
    ! (gfortran 16 has other cobounds, where some are given, from the descriptor of the former name.)
    call require_equal(b(2)[1], 2 - mod(me, 2), 'get')
    sync all
    if (here == 1) b(3)[of_half] = -me
    sync all
    call require_equal(b(3), merge(-(2 - mod(me, 2)), me, here == of_half), 'put')
  end team
  call require(all(a(1:2) == me), 'beside the put')
end program
