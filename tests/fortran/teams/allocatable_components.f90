!> Coarrays with allocatable components in teams: access to them, what has moved out of them, and that END TEAM gives back
!> what they have allocated: 3.2 MB of an image, as often as the argument says.
program allocatable_components
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type item
    integer :: length = 0
    real(8), allocatable :: values(:)
    integer, allocatable :: tag
  end type
  type(team_type) :: team
  type(item), allocatable :: items(:)[:], kept[:]
  integer :: k, j, next, rounds
  integer, parameter :: many = 200000
  character(10) :: text

  rounds = 6
  call get_command_argument(1, text)
  if (text /= '') read (text, *) rounds
  allocate (kept[*])
  form team (1 + mod(this_image(), 2), team)
  do k = 1, rounds
    change team (team)
      next = right_of(this_image())
      allocate (items(2)[*])
      do j = 1, 2
        allocate (items(j)%values(many))
        allocate (items(j)%tag)
        items(j)%values = j * this_image() + k
        items(j)%tag = 10 * this_image() + j
      end do
      sync all
      call require_equal(int(items(2)[next]%values(many)), 2 * next + k, 'array component')
      call require_equal(items(1)[next]%tag, 10 * next + 1, 'scalar component')
      sync all
      if (k == 1) then
        ! What has moved to another object stays.
        call move_alloc(items(1)%values, kept%values)
        kept%length = k
      end if
      if (mod(k, 3) == 0) deallocate (items(1)%values)
      if (mod(k, 5) == 0) deallocate (items)
    end team
    call require(.not. allocated(items), 'after END TEAM')
    call require(kept%length == 1 .and. all(kept%values == this_image_then() + 1), 'moved')
  end do

contains

  !> The index of this image in the team.
  integer function this_image_then()
    this_image_then = (this_image() + 1) / 2
  end function
end program
