!> TEAM_NUMBER= in image selectors: coarrays of sibling teams, read and written from within a team.
! Not with gfortran before 15: no TEAM_NUMBER=.
program team_number_selector
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: half
  integer :: a(4)[*], x, me, n, other, first_of_other

  me = this_image(); n = num_images(); a = me
  form team (1 + mod(me, 2), half)
  sync all
  ! Team 1 has the even images, team 2 the odd ones.
  other = 2 - mod(me, 2)
  first_of_other = merge(2, 1, other == 1)
  change team (half)
    if (n > 1) then
      x = a(2)[1, team_number=other]
      call require_equal(x, first_of_other, 'get')
    end if
    x = a(3)[1, team_number=1 + mod(me, 2)]
    call require_equal(x, merge(2, 1, mod(me, 2) == 0), 'get from the own team')
  end team
  sync all
  change team (half)
    if (n > 1 .and. this_image() == 1) a(4)[1, team_number=other] = -me
  end team
  sync all
  if (n > 1 .and. me <= 2) call require_equal(a(4), -(3 - me), 'put')
end program
