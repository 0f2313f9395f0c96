!> The values of atomic subroutines may be constants, variables and expressions; logical atomics with cas and ref.
program value_kinds
  use checks
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, atomic_logical_kind
  implicit none
  integer(atomic_int_kind) :: x(2)[*], got, list(3)
  logical(atomic_logical_kind) :: done(2)[*], old
  integer :: me, n, winners, won

  me = this_image(); n = num_images()
  x = 0; done = .false.; list = [1, 20, 300]; won = 0
  sync all
  call atomic_add(x(1)[1], list(2) * me + 1)
  call atomic_fetch_add(x(2)[1], maxval(list), got)
  call require(mod(got, 300) == 0, 'old value')
  ! One image alone finds it not yet done.
  call atomic_cas(done(2)[n], old, .false., .true.)
  if (.not. old) won = 1
  sync all
  call atomic_ref(got, x(1)[1])
  call require_equal(int(got), 10 * n * (n + 1) + n, 'sum of expressions')
  call atomic_ref(got, x(2)[1])
  call require_equal(int(got), 300 * n, 'sum of function results')
  winners = won
  call co_sum(winners)
  call require_equal(winners, 1, 'images that were first')
  call atomic_ref(old, done(2)[n]); call require(logical(old), 'done')
  call atomic_ref(old, done(1)[n]); call require(.not. logical(old), 'the other one')
end program
