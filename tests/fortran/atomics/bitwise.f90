!> Atomic and, or, xor and their fetching forms.
program bitwise
  use checks
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind
  implicit none
  integer(atomic_int_kind) :: bits[*], mask[*], parity[*], old, got
  integer :: me, n, k, status

  me = this_image(); n = num_images()
  bits = 0; mask = -1; parity = 0
  sync all
  call atomic_or(bits[1], ibset(0, me))
  call atomic_and(mask[1], not(ibset(0, me)))
  do k = 1, 2 * me + 1
    call atomic_xor(parity[1], ibset(0, me))
  end do
  sync all
  call atomic_ref(got, bits[1]); call require_equal(int(got), 2**(n + 1) - 2, 'or')
  call atomic_ref(got, mask[1]); call require_equal(int(got), not(2**(n + 1) - 2), 'and')
  call atomic_ref(got, parity[1]); call require_equal(int(got), 2**(n + 1) - 2, 'xor')
  sync all
  ! Each image alone on its own variable elsewhere: the fetched values are certain.
  associate (next => right_of(me))
    call atomic_define(bits[next], 12)
    call atomic_fetch_or(bits[next], 3, old)
    call require_equal(int(old), 12, 'fetched by fetch_or')
    call atomic_fetch_and(bits[next], 10, old, status)
    call require(old == 15 .and. status == 0, 'fetched by fetch_and')
    call atomic_fetch_xor(bits[next], 255, old)
    call require_equal(int(old), 10, 'fetched by fetch_xor')
    call atomic_ref(got, bits[next])
    call require_equal(int(got), 245, 'after fetch_xor')
  end associate
end program
