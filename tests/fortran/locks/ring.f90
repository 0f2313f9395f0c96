!> Every image holds the lock of its neighbour and its own, taken in one order: no deadlock, and both exclude.
program ring
  use checks
  use, intrinsic :: iso_fortran_env, only: lock_type
  implicit none
  type(lock_type) :: fork[*]
  integer :: meals[*], first, second, me, k, old

  me = this_image(); meals = 0
  first = min(me, right_of(me)); second = max(me, right_of(me))
  sync all
  do k = 1, 40
    lock (fork[first])
    if (second /= first) lock (fork[second])
    old = meals[first]
    meals[first] = old + 1
    old = meals[second]
    meals[second] = old + 1
    if (second /= first) unlock (fork[second])
    unlock (fork[first])
  end do
  sync all
  ! Two neighbours, or in a ring of two the same one twice.
  call require_equal(meals, 80, 'meals')
end program
