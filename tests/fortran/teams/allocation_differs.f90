!> Sibling teams allocate different amounts, different numbers of times; the initial team's coarrays are not disturbed.
program allocation_differs
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: team
  integer, allocatable :: before(:)[:], after(:)[:], x(:)[:], y(:)[:]
  integer :: me, n, mine, here, k, round, i

  me = this_image(); n = num_images()
  mine = 1 + mod(me, 3)
  allocate (before(100)[*])
  before = me
  form team (mine, team)
  do round = 1, 10
    change team (team)
      here = num_images()
      do k = 1, 5 * mine
        allocate (x(1000 * mine + k)[*])
        allocate (y(3 * k)[*])
        x = this_image(); y = -k
        sync all
        do i = 1, here
          call require(all(x(:)[i] == i), 'a coarray of the team')
          call require_equal(y(3 * k)[i], -k, 'the last element on another image')
        end do
        if (mod(k, 2) == 0) then
          deallocate (x, y)
        else
          deallocate (y)
          deallocate (x)
        end if
      end do
    end team
    allocate (after(10 * round)[*])
    after = me + round
    sync all
    call require_equal(after(10 * round)[right_of(me)], right_of(me) + round, 'allocated after the teams')
    call require(all(before == me), 'allocated before the teams')
    call require_equal(before(100)[left_of(me)], left_of(me), 'allocated before, elsewhere')
    deallocate (after)
  end do
end program
