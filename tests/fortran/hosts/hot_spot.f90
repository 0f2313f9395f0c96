!> All images want image 1 at once, whichever way requests go: numbers handed out, rows put, a lock, events, bits.
program hot_spot
  use checks
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, event_type, lock_type
  implicit none
  integer, parameter :: rounds = 30
  integer(atomic_int_kind), save :: next[*] = 0, bits[*] = 0
  integer(atomic_int_kind) :: given, last, before
  type(event_type), save :: arrived[*]
  type(lock_type), save :: guard[*]
  integer, save :: total[*] = 0
  integer, allocatable :: seen(:)[:], rows(:, :)[:]
  integer :: me, n, k, i, found

  me = this_image(); n = num_images()
  allocate (seen(0:rounds*n - 1)[*], rows(n, rounds)[*])
  seen = 0; rows = 0; last = -1
  sync all
  do k = 1, rounds
    call atomic_fetch_add(next[1], 1, given)
    call require(given > last, 'a later number is a larger one')
    last = given
    seen(given)[1] = me
    rows(me, :)[1] = [(k*me + i, i=1, rounds)]
    call atomic_fetch_xor(bits[1], ishft(1, me), before)
    call require(btest(before, me) .eqv. modulo(k, 2) == 0, 'only this image changes its bit')
    event post (arrived[1])
    lock (guard[1])
    found = total[1]
    total[1] = found + me
    unlock (guard[1])
  end do
  if (me == 1) event wait (arrived, until_count=rounds*n)
  sync all
  if (me == 1) then
    call require_equal(int(next), rounds*n, 'numbers handed out')
    call require_equal(int(bits), 0, 'bits that were changed an even number of times')
    call require_equal(total, rounds*n*(n + 1)/2, 'added under the lock')
    do k = 1, n
      call require_equal(count(seen == k), rounds, 'numbers of an image')
      do i = 1, rounds
        call require_equal(rows(k, i), rounds*k + i, 'the last row put')
      end do
    end do
  end if
end program
