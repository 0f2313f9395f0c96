!> lock and unlock order segments: who holds the lock sees what its former holder wrote, in memory of any image.
program lock_orders
  use checks
  use, intrinsic :: iso_fortran_env, only: lock_type
  implicit none
  integer, parameter :: length = 64
  type(lock_type) :: guard[*]
  integer :: list(length)[*], k, got(length), turns[*], before

  list = 0; turns = 0
  sync all
  do k = 1, 25
    lock (guard[1])
    got = list(:)[num_images()]
    call require(all(got == got(1)), 'half an update was seen')
    list(:)[num_images()] = got(1) + 1
    before = turns[1]
    turns[1] = before + 1
    unlock (guard[1])
  end do
  sync all
  call require_equal(list(1)[num_images()], turns[1], 'updates')
  call require_equal(turns[1], 25 * num_images(), 'turns')
end program
