!> Atomic variables hold every value, the largest and the smallest; adding 0 and negative numbers, bits of all 32 places.
program extremes
  use checks
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind
  implicit none
  integer(atomic_int_kind) :: x[*], got
  integer(atomic_int_kind), parameter :: largest = huge(0_atomic_int_kind), smallest = -largest - 1
  integer :: next

  next = right_of(this_image())
  call atomic_define(x[next], largest)
  call atomic_ref(got, x[next]); call require(got == largest, 'largest')
  call atomic_add(x[next], smallest)
  call atomic_ref(got, x[next]); call require(got == -1, 'sum of the largest and the smallest')
  call atomic_fetch_add(x[next], 0, got); call require(got == -1, 'old value')
  call atomic_and(x[next], smallest)
  call atomic_ref(got, x[next]); call require(got == smallest, 'sign alone')
  call atomic_or(x[next], 1)
  call atomic_xor(x[next], smallest)
  call atomic_ref(got, x[next]); call require(got == 1, 'without sign')
  call atomic_cas(x[next], got, 1, smallest)
  call require(got == 1, 'compared')
  call atomic_cas(x[next], got, largest, 0)
  call require(got == smallest, 'not equal')
  call atomic_ref(got, x[next]); call require(got == smallest, 'swapped')
end program
