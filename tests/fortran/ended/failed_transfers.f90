!> Transfers, events and atomics with a failed image: stat= is STAT_FAILED_IMAGE where the compiler passes it on.
program failed_transfers
  use checks
  use, intrinsic :: iso_fortran_env, only: event_type, atomic_int_kind, stat_failed_image
  implicit none
  integer :: a(10)[*], got(10)
  integer(atomic_int_kind) :: counter[*], old
  type(event_type) :: gate[*]
  integer :: me, n, status

  me = this_image(); n = num_images(); a = me; counter = 0
  sync all
  if (n > 1 .and. me == n) fail image
  if (n > 1) then
    do while (image_status(n) == 0)
    end do
    status = 77
    got = a(:)[n, stat=status]
    call require_equal(status, stat_failed_image, 'get')
    status = 77
    call atomic_define(counter[n], 5, status)
    call require_equal(status, stat_failed_image, 'atomic_define')
    status = 77
    call atomic_fetch_add(counter[n], 5, old, status)
    call require_equal(status, stat_failed_image, 'atomic_fetch_add')
    status = 77
    event post (gate[n], stat=status)
    call require_equal(status, stat_failed_image, 'event post')
  end if
  ! Nothing else is disturbed.
  got = a(:)[1]
  if (me /= 1) call require(all(got == 1), 'get from image 1')
end program
