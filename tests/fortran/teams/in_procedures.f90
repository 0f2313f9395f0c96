!> A library that works on halves of its team, recursively, and leaves its caller in the team that it was in.
program in_procedures
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  integer :: me, n, depth, total
  integer :: value[*]

  me = this_image(); n = num_images()
  value = me
  sync all
  depth = 0
  total = sum_of_team()
  call require_equal(total, n * (n + 1) / 2, 'sum')
  call require_equal(this_image(), me, 'image at the end')
  call require_equal(num_images(), n, 'images at the end')

contains

  !> The sum of `value` over the current team: of both halves, exchanged by their first images.
  recursive integer function sum_of_team() result(total)
    type(team_type) :: half
    integer :: other, mine, here, lower

    here = num_images()
    if (here == 1) then
      total = value
      return
    end if
    lower = here / 2
    form team (merge(1, 2, this_image() <= lower), half)
    mine = merge(1, lower + 1, this_image() <= lower)
    other = lower + 2 - mine
    change team (half)
      total = sum_of_team()
    end team
    call require_equal(num_images(), here, 'back in the team')
    value = total
    sync all
    total = value[mine] + value[other]
    sync all
  end function
end program
