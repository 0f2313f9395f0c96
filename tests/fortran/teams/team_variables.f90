!> Team variables as elements, components, copies and dummy arguments; formed again and again.
module library
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type plan
    type(team_type) :: rows
    integer :: width
    type(team_type) :: spare(2)
  end type
contains
  subroutine make(p, number)
    type(plan), intent(inout) :: p
    integer, intent(in) :: number
    form team (number, p%rows)
    form team (number + 1, p%spare(2))
    p%width = number
  end subroutine

  integer function images_of(t)
    type(team_type), intent(in) :: t
    change team (t)
      images_of = num_images()
    end team
  end function
end module

program team_variables
  use checks
  use library
  implicit none
  type(team_type) :: teams(4), copy
  type(team_type), allocatable :: many(:)
  type(plan) :: p
  integer :: me, n, k, i

  me = this_image(); n = num_images()
  do k = 1, 4
    form team (1 + mod(me, k), teams(k))
  end do
  do k = 4, 1, -1
    change team (teams(k))
      call require_equal(team_number(), 1 + mod(me, k), 'element of an array')
      do i = 1, 4
        call require_equal(team_number(teams(i)), 1 + mod(me, i), 'another element')
      end do
    end team
  end do
  copy = teams(3)
  call require_equal(team_number(copy), 1 + mod(me, 3), 'copy')
  form team (5, teams(3))
  call require_equal(team_number(teams(3)), 5, 'formed again')
  call require_equal(team_number(copy), 1 + mod(me, 3), 'copy of what was formed again')
  change team (copy)
    call require_equal(team_number(), 1 + mod(me, 3), 'in the copy')
    sync team (copy)
  end team
  call make(p, 9)
  call require(team_number(p%rows) == 9 .and. team_number(p%spare(2)) == 10, 'components')
  call require_equal(images_of(p%spare(2)), n, 'dummy argument')
  allocate (many(n))
  do k = 1, 300
    i = 1 + mod(k, n)
    form team (k + mod(me, 2), many(i))
    call require_equal(team_number(many(i)), k + mod(me, 2), 'formed many times')
  end do
  call require_equal(images_of(many(n)), merge((n + 1) / 2, n / 2, mod(me, 2) == 1), 'the last')
end program
