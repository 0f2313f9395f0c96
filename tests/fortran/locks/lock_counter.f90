!> A lock excludes: plain increments under it are never lost, on whichever image the lock lies.
program lock_counter
  use checks
  use, intrinsic :: iso_fortran_env, only: lock_type
  implicit none
  type(lock_type) :: guard[*], guards(3)[*]
  type(lock_type), allocatable :: later(:)[:]
  integer :: counter(6)[*]
  integer :: me, n, k, before

  me = this_image(); n = num_images()
  allocate (later(2)[*])
  counter = 0
  sync all
  do k = 1, 50
    lock (guard[1])
    before = counter(1)[n]
    counter(1)[n] = before + 1
    unlock (guard[1])
    lock (guards(2)[n])
    before = counter(2)[1]
    counter(2)[1] = before + me
    unlock (guards(2)[n])
    lock (later(1)[1])
    before = counter(3)[1]
    counter(3)[1] = before - 1
    unlock (later(1)[1])
  end do
  sync all
  call require_equal(counter(1)[n], 50 * n, 'under a scalar lock')
  call require_equal(counter(2)[1], 50 * n * (n + 1) / 2, 'under an element of an array of locks')
  call require_equal(counter(3)[1], -50 * n, 'under an allocatable lock')
end program
