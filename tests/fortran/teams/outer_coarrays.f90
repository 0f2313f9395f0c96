!> Coarrays of the initial team inside teams: image indices in selectors are those of the current team.
program outer_coarrays
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: team, inner
  integer :: static(8)[*]
  real(8), allocatable :: table(:, :)[:]
  integer :: me, n, teams, mine, here, i, got(8)
  real(8) :: expected

  me = this_image(); n = num_images()
  allocate (table(3, n)[*])
  do teams = 1, n
    static = 0; table = -1
    mine = mod(me - 1, teams) + 1
    form team (mine, team)
    sync all
    change team (team)
      here = num_images()
      do i = 1, here
        static(this_image())[i] = 100 * me + i
        table(:, me)[i] = me
      end do
      sync all
      do i = 1, here
        call require_equal(static(i), 100 * original(i) + this_image(), 'put of a scalar')
        call require(all(table(:, original(i)) == original(i)), 'put of a section')
        got = static(:)[i]
        call require_equal(got(this_image()), 100 * me + i, 'get of a section')
        call require_equal(static(this_image())[i], 100 * me + i, 'get of a scalar')
        expected = table(3, me)[i]
        call require(expected == me, 'get of an element')
      end do
      sync all
      ! Round the ring, from image to image without passing through this one.
      static(1:4)[right_of(this_image())] = static(5:8)[left_of(this_image())]
      sync all
      form team (this_image(), inner)
      change team (inner)
        static(8)[1] = -me
        call require_equal(static(8), -me, 'the only image of a team')
      end team
    end team
    sync all
  end do

contains

  !> Image i of the team in the initial team.
  integer function original(i)
    integer, intent(in) :: i
    original = mine + teams * (i - 1)
  end function
end program
