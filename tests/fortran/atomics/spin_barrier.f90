!> A barrier made of atomics and SYNC MEMORY only: what was written before it is seen after it.
program spin_barrier
  use checks
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind
  implicit none
  integer(atomic_int_kind) :: count[*], old, seen
  integer :: value[*]
  integer :: me, n, k

  me = this_image(); n = num_images()
  call atomic_define(count, 0)
  value = 0
  sync all
  do k = 1, 20
    value[right_of(me)] = k
    call barrier(2 * k - 1)
    call require_equal(value, k, 'put before the barrier')
    call barrier(2 * k)
  end do

contains

  !> The `turn`-th one.
  subroutine barrier(turn)
    integer, intent(in) :: turn
    sync memory
    call atomic_fetch_add(count[1], 1, old)
    do
      call atomic_ref(seen, count[1])
      if (seen >= turn * n) exit
    end do
    sync memory
  end subroutine
end program
