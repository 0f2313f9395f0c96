!> FORM TEAM with NEW_INDEX=: images have in the new team the indices that they asked for.
! Not with gfortran before 16: no NEW_INDEX= in FORM TEAM.
program new_index
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: reversed, rotated
  integer :: a[*], me, n, status

  me = this_image(); n = num_images(); a = me
  status = 77
  form team (1, reversed, new_index=n + 1 - me, stat=status)
  call require_equal(status, 0, 'stat')
  form team (7, rotated, new_index=modulo(me, n) + 1)
  change team (reversed)
    call require_equal(this_image(), n + 1 - me, 'reversed')
    call require_equal(a[this_image()], me, 'own coarray')
    call require_equal(a[1], n, 'coarray of the first')
  end team
  change team (rotated)
    call require_equal(this_image(), modulo(me, n) + 1, 'rotated')
    call require_equal(team_number(), 7, 'number')
    call require_equal(a[1], n, 'the last image is the first')
  end team
end program
