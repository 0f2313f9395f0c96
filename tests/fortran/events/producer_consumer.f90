!> A bounded buffer between neighbours: one event counts what is full, another one what is free.
program producer_consumer
  use checks
  use, intrinsic :: iso_fortran_env, only: event_type
  implicit none
  integer, parameter :: capacity = 4, items = 60
  type(event_type) :: full[*], free[*]
  integer :: buffer(capacity)[*]
  integer :: me, next, prev, k

  me = this_image(); next = right_of(me); prev = left_of(me)
  buffer = 0
  sync all
  do k = 1, items
    ! Every image produces for the next one and consumes from the one before.
    if (k > capacity) event wait (free)
    buffer(modulo(k, capacity) + 1)[next] = 1000 * me + k
    event post (full[next])
    event wait (full)
    call require_equal(buffer(modulo(k, capacity) + 1), 1000 * prev + k, 'item')
    ! The image before waits for no more than these posts, and may have stopped before another one.
    if (k <= items - capacity) event post (free[prev])
  end do
end program
