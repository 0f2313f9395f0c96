!> NEW_INDEX= after a failure: images that ask for the indices that they would have had beside those that have failed get
!> the order that they ask for. (Fortran 2018, C.6.8: spare images whose own indices stay empty.)
! Not with gfortran before 16: no new_index= in FORM TEAM.
program failed_new_index
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type, stat_failed_image
  implicit none
  integer, parameter :: victim = 2
  type(team_type) :: left, again
  integer :: me, n, index, status(1)

  me = this_image(); n = num_images()
  if (n < 3) stop
  if (me == victim) fail image
  do while (image_status(victim) == 0)
  end do
  ! The other way round, with a gap where the failed image would be.
  index = n + 1 - me
  status = 77
  form team (3, left, new_index=index, stat=status(1))
  call require_equal(status(1), stat_failed_image, 'form team')
  status = 77
  change team (left, stat=status(1))
    call require_equal(status(1), 0, 'change team')
    call require_equal(num_images(), n - 1, 'images that are left')
    call require_equal(this_image(), n + 1 - me - merge(1, 0, me < victim), 'index')
    ! No image is missing here.
    index = this_image()
    form team (1, again, new_index=index)
    change team (again)
      call require_equal(this_image(), index, 'index in a team that is whole')
    end team
    sync all
  end team (stat=status(1))
  call require_equal(status(1), 0, 'end team')
end program
