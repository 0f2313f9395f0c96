!> acquired_lock=: of the images that try at once one gets the lock, the others go on; who tries on gets it some time.
program acquired
  use checks
  use, intrinsic :: iso_fortran_env, only: lock_type
  implicit none
  type(lock_type) :: guard[*]
  integer :: holders[*], me, n, k, old, got
  logical :: mine

  me = this_image(); n = num_images(); holders = 0
  sync all
  do k = 1, 20
    lock (guard[n], acquired_lock=mine)
    got = merge(1, 0, mine)
    ! No image releases it before all have tried.
    call co_sum(got)
    call require_equal(got, 1, 'images that have the lock')
    if (mine) unlock (guard[n])
    sync all
  end do
  do k = 1, 20
    do
      lock (guard[1], acquired_lock=mine)
      if (mine) exit
    end do
    old = holders[1]
    holders[1] = old + 1
    unlock (guard[1])
  end do
  sync all
  call require_equal(holders[1], 20 * n, 'times that the lock was had')
end program
