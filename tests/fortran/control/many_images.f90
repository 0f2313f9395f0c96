!> A little of everything, for any number of images.
program many_images
  use checks
  use, intrinsic :: iso_fortran_env, only: event_type, atomic_int_kind
  implicit none
  integer, allocatable :: inbox(:)[:]
  integer(atomic_int_kind) :: hits[*]
  type(event_type) :: ready[*]
  integer :: me, n, k, total

  me = this_image(); n = num_images()
  allocate (inbox(n)[*])
  hits = 0
  sync all
  do k = 1, 3
    inbox(me)[right_of(me)] = k
    sync all
    call require_equal(inbox(left_of(me)), k, 'put')
    if (n > 2) sync images ([left_of(me), right_of(me)])
  end do
  total = me
  call co_sum(total)
  call require_equal(total, n * (n + 1) / 2, 'co_sum')
  total = me
  call co_broadcast(total, n)
  call require_equal(total, n, 'co_broadcast')
  call atomic_add(hits[1], 1)
  critical
    inbox(1)[n] = inbox(1)[n] + 1
  end critical
  event post (ready[right_of(me)])
  event wait (ready)
  sync all
  call require_equal(int(hits[1]), n, 'atomic_add')
end program
