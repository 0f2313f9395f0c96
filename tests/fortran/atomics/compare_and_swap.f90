!> atomic_cas swaps only what compares equal, gives back the old value, and can build a lock.
program compare_and_swap
  use checks
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, atomic_logical_kind
  implicit none
  integer(atomic_int_kind) :: owner[*], value[*], old
  logical(atomic_logical_kind) :: flag[*], old_flag
  integer :: guarded[*]
  integer :: me, n, k, next, status, before

  me = this_image(); n = num_images(); next = right_of(me)
  owner = 0; value = 5; flag = .false.; guarded = 0
  sync all
  call atomic_cas(value[next], old, 4, 6)
  call require_equal(int(old), 5, 'old of a swap that did not happen')
  call atomic_cas(value[next], old, 5, 7, status)
  call require(old == 5 .and. status == 0, 'old of a swap that happened')
  call atomic_ref(old, value[next])
  call require_equal(int(old), 7, 'value after the swap')
  call atomic_cas(flag[next], old_flag, .false., .true.)
  call require(.not. old_flag, 'old of a logical')
  call atomic_ref(old_flag, flag[next])
  call require(logical(old_flag), 'logical after the swap')
  do k = 1, 40
    do
      call atomic_cas(owner[1], old, 0, me)
      if (old == 0) exit
    end do
    sync memory
    before = guarded[1]
    guarded[1] = before + 1
    sync memory
    call atomic_cas(owner[1], old, me, 0)
    call require_equal(int(old), me, 'owner')
  end do
  sync all
  call require_equal(guarded[1], 40 * n, 'increments under the lock')
end program
