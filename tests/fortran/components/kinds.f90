!> Allocatable components of every intrinsic type and of many kinds: get and put of whole arrays and of elements.
program kinds
  use checks
  implicit none
  type t
    integer(1), allocatable :: i1(:)
    integer(8), allocatable :: i8(:)
    integer(16), allocatable :: i16(:)
    real(4), allocatable :: r4(:)
    real(kind10), allocatable :: r10(:)
    real(16), allocatable :: r16(:)
    complex(8), allocatable :: z8(:)
    logical(1), allocatable :: l1(:)
    logical, allocatable :: l(:)
  end type
  type(t) :: c[*]
  integer(1), allocatable :: i1(:)
  integer(8), allocatable :: i8(:)
  integer(16), allocatable :: i16(:)
  real(4), allocatable :: r4(:)
  real(kind10), allocatable :: r10(:)
  real(16), allocatable :: r16(:)
  complex(8), allocatable :: z8(:)
  logical, allocatable :: l(:)
  logical(1), allocatable :: l1(:)
  integer :: me, next, prev

  me = this_image(); next = right_of(me); prev = left_of(me)
  allocate (c%i1(2), c%i8(2), c%i16(2), c%r4(2), c%r10(2), c%r16(2), c%z8(2), c%l1(2), c%l(2))
  c%i1 = int(me, 1); c%i8 = 10_8**12 + me; c%i16 = 10_16**30 + me; c%r4 = 0.5 * me; c%r10 = me / 3._kind10; c%r16 = me / 3._16
  c%z8 = cmplx(me, -1, 8); c%l1 = mod(me, 2) == 0; c%l = mod(me, 2) == 1
  sync all
  i1 = c[next]%i1; i8 = c[next]%i8; i16 = c[next]%i16; r4 = c[next]%r4; r10 = c[next]%r10; r16 = c[next]%r16
  z8 = c[next]%z8; l = c[next]%l; l1 = c[next]%l1
  call require(all(i1 == next) .and. all(i8 == 10_8**12 + next) .and. all(i16 == 10_16**30 + next), 'integers')
  call require(all(r4 == 0.5 * next) .and. all(r10 == next / 3._kind10) .and. all(r16 == next / 3._16), 'reals')
  call require(all(z8 == cmplx(next, -1, 8)), 'complex')
  call require(all(logical(l1) .eqv. mod(next, 2) == 0) .and. all(l .eqv. mod(next, 2) == 1), 'logical')
  sync all
  c[next]%i1(2) = 7_1; c[next]%i16(2) = -me; c[next]%r10(2) = -me; c[next]%r16(2) = -me; c[next]%z8(2) = me
  c[next]%l(2) = .true.
  sync all
  call require(c%i1(2) == 7 .and. c%i16(2) == -prev .and. c%i1(1) == me, 'put of integers')
  call require(c%r10(2) == -prev .and. c%r16(2) == -prev .and. c%z8(2) == prev .and. c%l(2), 'put of others')
end program
