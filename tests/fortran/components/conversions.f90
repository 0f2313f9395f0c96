!> Components of other types, kinds and lengths are converted, both ways; a scalar goes to all elements.
program conversions
  use checks
  use, intrinsic :: iso_fortran_env, only: int8, int64, real32, real64
  implicit none
  type t
    integer(int8), allocatable :: i(:)
    real(real64), allocatable :: r(:, :)
    complex(real32), allocatable :: z(:)
    character(5), allocatable :: s(:)
    logical(1), allocatable :: l(:)
  end type
  type(t) :: c[*]
  integer(int64), allocatable :: i(:)
  real(real32) :: r(2, 3)
  character(3) :: short(4)
  character(9), allocatable :: long(:)
  logical :: l(3)
  integer(int64) :: one
  integer :: me, next, k

  me = this_image(); next = right_of(me)
  c%i = [(int(k, int8), k=1, 10)]
  c%r = reshape([(me + k*0.5d0, k=1, 6)], [2, 3])
  c%z = [(cmplx(k, me), k=1, 4)]
  c%s = ['abcde', 'fghij', 'klmno', 'pqrst']
  c%l = [.true._1, .false._1, .true._1]
  sync all
  i = c[next]%i
  call require(size(i) == 10 .and. all(i == [(k, k=1, 10)]), 'integers')
  one = c[next]%i(7)
  call require(one == 7, 'an integer')
  r = c[next]%r
  call require(all(r == reshape([(next + k*0.5, k=1, 6)], [2, 3])), 'reals')
  short = c[next]%s
  call require(all(short == ['abc', 'fgh', 'klm', 'pqr']), 'cut off')
  long = c[next]%s(4:1:-1)
  call require(all(long == ['pqrst    ', 'klmno    ', 'fghij    ', 'abcde    ']), 'padded')
  l = c[next]%l
  call require(all(l .eqv. [.true., .false., .true.]), 'logicals')
  sync all
  c[next]%i = 7
  c[next]%r(2, :) = 3
  c[next]%z(2:) = [1.5, 2.5, 3.5]
  c[next]%s(2:3) = 'q'
  c[next]%r(1, 2) = me
  sync all
  call require(all(c%i == 7), 'to all elements')
  call require(all(c%r(2, :) == 3) .and. c%r(1, 2) == left_of(me), 'to a section')
  call require(c%r(1, 1) == me + 0.5d0, 'beside the section')
  call require(c%z(1) == (1.0, 0.0) + cmplx(0, me) .and. c%z(3) == (2.5, 0.0), 'to complex numbers')
  call require(all(c%s == ['abcde', 'q    ', 'q    ', 'pqrst']), 'to characters')
end program
