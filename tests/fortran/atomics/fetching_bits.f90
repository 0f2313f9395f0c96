!> atomic_fetch_and, _or and _xor give back the value from before; every bit is set by one image and seen once.
program fetching_bits
  use checks
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind
  implicit none
  integer(atomic_int_kind) :: set[*], cleared[*], turned[*], old
  integer :: me, n, status, k

  me = this_image(); n = num_images()
  set = 0; cleared = -1; turned = 0
  sync all
  call atomic_fetch_or(set[1], ishft(1, me), old)
  call require(.not. btest(old, me), 'bit is set before')
  call atomic_fetch_or(set[1], ishft(1, me), old, status)
  call require(btest(old, me) .and. status == 0, 'bit is not set after')
  call atomic_fetch_and(cleared[n], not(ishft(1, me)), old)
  call require(btest(old, me), 'bit is cleared before')
  call atomic_fetch_and(cleared[n], not(0), old, status)
  call require(.not. btest(old, me) .and. status == 0, 'bit is not cleared after')
  do k = 1, 51
    call atomic_fetch_xor(turned[1], ishft(1, me), old, status)
    call require((btest(old, me) .eqv. mod(k, 2) == 0) .and. status == 0, 'bit has not turned')
  end do
  sync all
  call atomic_ref(old, set[1])
  call require_equal(int(old), 2**(n + 1) - 2, 'set')
  call atomic_ref(old, cleared[n])
  call require_equal(int(old), not(2**(n + 1) - 2), 'cleared')
  call atomic_ref(old, turned[1])
  call require_equal(int(old), 2**(n + 1) - 2, 'turned')
end program
