!> An image that has come to the end of the program is still there for the others: its coarrays, locks, atomics. EVENT POST
!> may report that it has stopped.
program end_of_program
  use checks
  use, intrinsic :: iso_fortran_env, only: lock_type, event_type, atomic_int_kind, stat_stopped_image
  implicit none
  integer :: a(100)[*]
  integer(atomic_int_kind) :: counter[*], old
  type(lock_type) :: guard[*]
  type(event_type) :: gate[*]
  integer :: me, n, i, status, got(100)

  me = this_image(); n = num_images()
  a = me; counter = 0
  sync all
  ! All but the last one end now, perhaps before it does what follows.
  if (me == n) then
    do i = 1, n
      got = a(:)[i]
      call require(all(got == i), 'get')
      a(50)[i] = -i
      call require_equal(a(50)[i], -i, 'put')
      call atomic_fetch_add(counter[i], 5, old)
      call require_equal(int(old), 0, 'atomic')
      lock (guard[i])
      unlock (guard[i])
      ! A post to an image that has stopped is an error (Fortran 2018, 11.6.11).
      event post (gate[i], stat=status)
      call require(status == 0 .or. status == stat_stopped_image, 'event post')
    end do
  end if
end program
