!> Every element on every image is a lock of its own; holding one does not hold another.
program locks_are_distinct
  use checks
  use, intrinsic :: iso_fortran_env, only: lock_type
  implicit none
  type(lock_type) :: guards(4)[*]
  integer :: me, n, i, image
  logical :: mine

  me = this_image(); n = num_images()
  ! Image i holds lock mod(i, 4) + 1 of every image, all at once, 4 images at most at a time.
  do image = 1, n
    if ((me - 1) / 4 == 0) then
      lock (guards(mod(me, 4) + 1)[image], acquired_lock=mine)
      call require(mine, 'a free lock was not to be had')
    end if
  end do
  sync all
  if (me == 1) then
    do image = 1, n
      do i = 2, min(n, 4)
        lock (guards(mod(i, 4) + 1)[image], acquired_lock=mine)
        call require(.not. mine, 'a lock was had twice')
      end do
    end do
  end if
  sync all
  if ((me - 1) / 4 == 0) then
    do image = n, 1, -1
      unlock (guards(mod(me, 4) + 1)[image])
    end do
  end if
  sync all
  lock (guards(1))
  unlock (guards(1))
end program
