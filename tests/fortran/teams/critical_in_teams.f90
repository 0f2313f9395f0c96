!> CRITICAL excludes the images of all teams, not only those of the current one.
program critical_in_teams
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type, atomic_int_kind
  implicit none
  integer :: before
  integer, parameter :: rounds = 40
  type(team_type) :: everyone, team
  integer(atomic_int_kind) :: entered[*], left[*]
  integer(atomic_int_kind) :: were_in(8), were_out(8)
  integer :: in_team[*]
  integer :: me, n, k, i, work

  me = this_image(); n = num_images()
  entered = 0; left = 0; in_team = 0; work = 0
  form team (1, everyone)
  change team (everyone)
    form team (merge(3, 1 + mod(me, 2), me == 1), team)
    sync all
    change team (team)
      if (me /= 1) then
        do k = 1, rounds
          critical
            call atomic_define(entered[this_image()], k)
            before = in_team[1]
            in_team[1] = before + 1
            do i = 1, 1000
              work = ieor(work, i)
            end do
            call atomic_define(left[this_image()], k)
          end critical
        end do
        sync all
        call require_equal(in_team[1], rounds * num_images(), 'counter of the team')
      end if
    end team
    ! Image 1 was alone in its team. Who has entered at the end of the first look and has not left at the start of the second is within.
    if (me == 1) then
      do
        do i = 2, n
          call atomic_ref(were_in(i), entered[i])
        end do
        sync memory
        do i = 2, n
          call atomic_ref(were_out(i), left[i])
        end do
        call require(count(were_in(2:n) > were_out(2:n)) <= 1, 'two images in a critical construct')
        if (all(were_out(2:n) == rounds)) exit
      end do
    end if
  end team
end program
