! Several threads of each image use locks, critical sections, events and atomic subroutines at the same time.
! Not with gfortran 15 and later: threads share the subscripts of coindexed objects in procedures of the main program.
program synchronisation
  use checks
  use omp_lib, only: omp_get_thread_num
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, event_type, lock_type
  implicit none
  integer, parameter :: threads = 4, rounds = 25
  type(lock_type) :: lock_of(threads)[*]
  type(event_type) :: posted(threads)[*], answered(threads)[*]
  integer(atomic_int_kind) :: counter[*], word(threads)[*]
  integer :: locked(threads)[*], in_critical[*]
  integer :: images, me, next, previous, t, round

  images = num_images()
  me = this_image()
  next = modulo(me, images) + 1
  previous = modulo(me - 2, images) + 1
  counter = 0; word = 0; locked = 0; in_critical = 0
  sync all
  !$omp parallel num_threads(threads) private(t, round)
  t = omp_get_thread_num() + 1
  do round = 1, rounds
    call count_locked(t)
    call count_critical()
    call exchange_events(t)
    call count_atomically(t, round)
    ! So that all are there at the same time, on a busy machine, too.
    !$omp barrier
  end do
  !$omp end parallel
  sync all
  if (me == 1) then
    call require(all(locked == rounds * images), 'locks')
    call require(in_critical == rounds * images * threads, 'critical sections')
    call require(counter == rounds * images * threads, 'atomic counter')
  end if

contains

  subroutine count_locked(t)
    integer, intent(in) :: t
    integer :: before
    lock (lock_of(t)[1])
    before = locked(t)[1]
    locked(t)[1] = before + 1
    unlock (lock_of(t)[1])
  end subroutine count_locked

  subroutine count_critical()
    integer :: before
    critical
      before = in_critical[1]
      in_critical[1] = before + 1
    end critical
  end subroutine count_critical

  subroutine exchange_events(t)
    integer, intent(in) :: t
    integer :: count
    event post (posted(t)[next])
    event wait (posted(t))
    event post (answered(t)[previous])
    event wait (answered(t))
    call event_query(answered(t), count)
    call require(count == 0, 'no more than one answer')
  end subroutine exchange_events

  subroutine count_atomically(t, round)
    integer, intent(in) :: t, round
    integer(atomic_int_kind) :: old, seen
    call atomic_add(counter[1], 1)
    call atomic_define(word(t)[next], round)
    call atomic_ref(seen, word(t)[next])
    call require(seen == round, 'an atomic word')
    call atomic_cas(word(t)[next], old, round, -round)
    call require(old == round, 'compare and swap')
    call atomic_fetch_or(word(t)[next], 0, old)
    call require(old == -round, 'fetch and or')
  end subroutine count_atomically
end program synchronisation
