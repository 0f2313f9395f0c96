!> TEAM= in image selectors of gets: images of the parent and of the initial team.
! Not with gfortran before 15: TEAM= of gets is lost.
program team_selector_reads
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: everyone, half
  integer :: a(4)[*], b[*], x, got(2), me, n, i

  me = this_image(); n = num_images(); a = [1, 2, 3, 4] * me; b = 0
  form team (1, everyone)
  sync all
  change team (everyone)
    form team (1 + mod(me, 2), half)
    change team (half)
      do i = 1, n
        x = a(3)[i, team=everyone]
        call require_equal(x, 3 * i, 'element')
        got = a(1:4:3)[i, team=everyone]
        call require(all(got == [i, 4 * i]), 'section')
      end do
      b[right_in_all(), team=everyone] = me
    end team
  end team
  sync all
  call require_equal(b, modulo(me - 2, n) + 1, 'put')

contains

  integer function right_in_all()
    right_in_all = modulo(me, n) + 1
  end function
end program
