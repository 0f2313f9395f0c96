!> atomic_define and atomic_ref of integers and logicals, here and elsewhere, scalars, elements and components.
program define_ref
  use checks
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, atomic_logical_kind
  implicit none
  type box
    character(3) :: pad
    integer(atomic_int_kind) :: n
  end type
  integer(atomic_int_kind) :: i[*], a(8)[*], got
  logical(atomic_logical_kind) :: l[*], got_l
  type(box) :: b(3)[*]
  integer :: me, next, prev, status

  me = this_image(); next = right_of(me); prev = left_of(me)
  i = 0; a = 0; l = .false.; b%n = 0
  sync all
  call atomic_define(i[next], me)
  call atomic_define(a(3)[next], -me)
  call atomic_define(l[next], .true.)
  call atomic_define(b(2)[next]%n, 10 * me)
  call atomic_define(a(8), 5, status)
  call require_equal(status, 0, 'stat')
  sync all
  call atomic_ref(got, i); call require_equal(int(got), prev, 'scalar')
  call atomic_ref(got, a(3)); call require_equal(int(got), -prev, 'element')
  call atomic_ref(got, a(8)[next]); call require_equal(int(got), 5, 'element elsewhere')
  call atomic_ref(got, b(2)[next]%n); call require_equal(int(got), 10 * me, 'component elsewhere')
  call atomic_ref(got_l, l[next], status)
  call require(logical(got_l) .and. status == 0, 'logical')
  call require(count(a /= 0) == 2 .and. all(b([1, 3])%n == 0), 'beside what was defined')
end program
