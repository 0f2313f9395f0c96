!> sync memory and an atomic flag order segments of two images without any other synchronisation.
program sync_memory_flag
  use checks
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind
  implicit none
  integer(atomic_int_kind) :: flag[*]
  integer :: data(16)[*]
  integer :: me, next, k
  integer(atomic_int_kind) :: seen

  me = this_image(); next = right_of(me)
  flag = 0; data = 0
  sync all
  do k = 1, 30
    data(:)[next] = k
    sync memory
    call atomic_define(flag[next], k)
    do
      call atomic_ref(seen, flag)
      if (seen >= k) exit
    end do
    sync memory
    call require(all(data == k), 'data that the flag announced')
    sync all
  end do
end program
