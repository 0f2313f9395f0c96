!> Locks are those of the images of the current team; two teams use the same variable, on different images.
program locks_in_teams
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type, lock_type
  implicit none
  integer :: before
  type(team_type) :: team
  type(lock_type) :: guard(2)[*]
  type(lock_type), allocatable :: own(:)[:]
  integer :: counter(2)[*]
  integer :: n, here, k, status, last
  logical :: got

  n = num_images()
  counter = 0
  form team (1 + mod(this_image(), 2), team)
  sync all
  change team (team)
    here = num_images()
    allocate (own(3)[*])
    do k = 1, 40
      lock (guard(2)[here])
      before = counter(1)[here]
      counter(1)[here] = before + 1
      unlock (guard(2)[here])
      lock (own(3)[1], stat=status)
      call require_equal(status, 0, 'stat of lock')
      before = counter(2)[1]
      counter(2)[1] = before + 1
      unlock (own(3)[1])
    end do
    sync all
    call require_equal(counter(1)[here], 40 * here, 'lock of the initial team')
    call require_equal(counter(2)[1], 40 * here, 'lock of the team')
    sync all
    if (this_image() == 1) then
      lock (guard(1)[here])
    end if
    sync all
    last = here
    lock (guard(1)[last], acquired_lock=got, stat=status)
    call require(.not. got, 'a lock that is held')
    sync all
    if (this_image() == 1) then
      unlock (guard(1)[here])
    end if
  end team
end program
