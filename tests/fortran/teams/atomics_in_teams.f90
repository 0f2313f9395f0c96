!> Atomic subroutines count on images of the current team.
program atomics_in_teams
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type, atomic_int_kind
  implicit none
  integer :: sum
  type(team_type) :: team
  integer(atomic_int_kind) :: outer(2)[*], old, found
  integer(atomic_int_kind), allocatable :: inner[:]
  integer :: k, here, me

  outer = 0
  sync all
  form team (1 + (this_image() - 1) / 3, team)
  change team (team)
    me = this_image(); here = num_images()
    allocate (inner[*])
    call atomic_define(inner, 0)
    sync all
    do k = 1, 100
      call atomic_add(outer(2)[here], 1)
      call atomic_fetch_add(inner[1], 2, old)
      call require(old >= 0 .and. old < 200 * here, 'old value')
    end do
    sync all
    call atomic_ref(found, outer(2)[here])
    call require_equal(found, 100 * here, 'coarray of the initial team')
    call atomic_ref(found, inner[1])
    call require_equal(found, 200 * here, 'coarray of the team')
    sync all
    sum = 200 * here
    call atomic_cas(inner[1], old, sum, -me)
    sync all
    call atomic_ref(found, inner[1])
    call require(found < 0 .and. found >= -here, 'compare and swap')
  end team
end program
