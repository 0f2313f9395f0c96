!> Locks in arrays of several dimensions and codimensions, and in modules.
module guards
  use, intrinsic :: iso_fortran_env, only: lock_type
  implicit none
  type(lock_type) :: of_module(2)[*]
end module

program places
  use checks
  use guards
  implicit none
  type(lock_type) :: grid(2, 3)[2, *]
  type(lock_type), allocatable :: later(:, :)[:]
  integer :: x(3)[*]
  integer :: me, n, k, cosub(2), old
  logical :: mine

  me = this_image(); n = num_images()
  allocate (later(0:1, 2)[*])
  x = 0
  cosub = [1 + mod(n - 1, 2), 1 + (n - 1) / 2]
  sync all
  do k = 1, 25
    lock (grid(2, 3)[cosub(1), cosub(2)])
    old = x(1)[1]; x(1)[1] = old + 1
    unlock (grid(2, 3)[cosub(1), cosub(2)])
    lock (later(1, 2)[1])
    old = x(2)[1]; x(2)[1] = old + 1
    unlock (later(1, 2)[1])
    lock (of_module(2)[n])
    old = x(3)[n]; x(3)[n] = old + 1
    unlock (of_module(2)[n])
  end do
  sync all
  call require(x(1)[1] == 25 * n .and. x(2)[1] == 25 * n, 'under elements')
  call require_equal(x(3)[n], 25 * n, 'under a lock of a module')
  lock (grid(1, 1), acquired_lock=mine)
  call require(mine, 'an element that no image holds')
  lock (grid(2, 1), acquired_lock=mine)
  call require(mine, 'the one beside it')
  unlock (grid(1, 1))
  unlock (grid(2, 1))
end program
