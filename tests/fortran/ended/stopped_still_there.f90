!> The coarrays, atomic variables and locks of an image that has stopped can be used as before. EVENT POST to it reports
!> that it has stopped (Fortran 2018, 11.6.11).
program stopped_still_there
  use checks
  use, intrinsic :: iso_fortran_env, only: lock_type, event_type, atomic_int_kind, stat_stopped_image
  implicit none
  integer :: a(10)[*], got(10)
  integer(atomic_int_kind) :: counter[*], old
  type(lock_type) :: guard[*]
  type(event_type) :: gate[*]
  integer :: me, n, status
  logical :: mine

  me = this_image(); n = num_images()
  a = me; counter = 0
  sync all
  if (me > 1) stop
  do while (any([image_states()] == 0))
  end do
  got = a(:)[n]
  call require(all(got == n), 'get')
  a(3)[n] = -1
  got = a(:)[n]
  call require(got(3) == -1 .and. got(4) == n, 'put')
  call atomic_fetch_add(counter[n], 5, old, status)
  call require(old == 0 .and. status == 0, 'atomic')
  event post (gate[n], stat=status)
  call require_equal(status, merge(0, stat_stopped_image, n == 1), 'event post')
  lock (guard[n], acquired_lock=mine, stat=status)
  call require_equal(status, 0, 'lock')

contains

  !> The states of all other images; 1 when there is none.
  function image_states()
    integer :: image_states(max(1, num_images() - 1)), i
    image_states(1) = 1
    do i = 2, num_images()
      image_states(i - 1) = image_status(i)
    end do
  end function
end program
