!> CHANGE TEAM constructs with names, one in the other, and other constructs left by EXIT inside.
! Not with gfortran before 16: no names of CHANGE TEAM constructs.
program names_and_exits
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: half, alone
  integer :: me, n, k

  me = this_image(); n = num_images()
  form team (1 + mod(me, 2), half)
  do k = 1, 4
    work: change team (half)
      call require_equal(team_number(), 1 + mod(me, 2), 'in the team')
      ! (EXIT from the construct itself: gfortran 16 does not execute END TEAM then.)
      inner: block
        if (mod(k, 2) == 0) exit inner
        call require(mod(k, 2) == 1, 'after exit')
      end block inner
      form team (this_image(), alone)
      single: change team (alone)
        call require_equal(num_images(), 1, 'in the inner team')
      end team single
    end team work
    call require(this_image() == me .and. num_images() == n, 'after the construct')
  end do
end program
