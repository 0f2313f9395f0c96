!> co_broadcast of every intrinsic type, scalars and arrays, from every image in turn.
program co_broadcast_types
  use checks
  implicit none
  integer(1) :: i1
  integer(2) :: i2(3)
  integer :: i4
  integer(8) :: i8(2, 2)
  integer(16) :: i16
  real(4) :: r4
  real(8) :: r8(5)
  real(kind10) :: r10
  real(16) :: r16
  complex(4) :: z4
  complex(8) :: z8(2)
  complex(16) :: z16
  logical :: l, ls(3)
  logical(1) :: l1
  character(9) :: s, ss(2)
  integer :: me, source

  me = this_image()
  do source = num_images(), 1, -1
    call set(me)
    call co_broadcast(i1, source); call co_broadcast(i2, source); call co_broadcast(i4, source)
    call co_broadcast(i8, source); call co_broadcast(i16, source); call co_broadcast(r4, source)
    call co_broadcast(r8, source); call co_broadcast(r10, source); call co_broadcast(r16, source)
    call co_broadcast(z4, source); call co_broadcast(z8, source); call co_broadcast(z16, source)
    call co_broadcast(l, source); call co_broadcast(ls, source); call co_broadcast(l1, source)
    call co_broadcast(s, source); call co_broadcast(ss, source)
    call require(i1 == source .and. all(i2 == [1, 2, 3] * source) .and. i4 == source, 'integer')
    call require(all(i8 == 10000000000_8 * source) .and. i16 == -source, 'integer(8) and integer(16)')
    call require(r4 == 0.5 * source .and. all(r8 == 0.25d0 * source), 'real')
    call require(r10 == 1 / real(source + 2, kind10) .and. r16 == 1 / real(source + 2, 16), 'real(10) and real(16)')
    call require(z4 == cmplx(source, 1) .and. all(z8 == cmplx(1, source, 8)), 'complex')
    call require(z16 == cmplx(-source, source, 16), 'complex(16)')
    call require((l .eqv. mod(source, 2) == 0) .and. all(ls .eqv. [l, .true., .not. l]), 'logical')
    call require(logical(l1) .eqv. l, 'logical(1)')
    call require(s == 'image ' // achar(iachar('0') + source), 'character: ' // s)
    call require(ss(1) == s .and. ss(2) == 'second', 'array of characters')
  end do

contains

  subroutine set(k)
    integer, intent(in) :: k
    i1 = int(k, 1); i2 = [1_2, 2_2, 3_2] * int(k, 2); i4 = k; i8 = 10000000000_8 * k; i16 = -k
    r4 = 0.5 * k; r8 = 0.25d0 * k; r10 = 1 / real(k + 2, kind10); r16 = 1 / real(k + 2, 16)
    z4 = cmplx(k, 1); z8 = cmplx(1, k, 8); z16 = cmplx(-k, k, 16)
    l = mod(k, 2) == 0; ls = [l, .true., .not. l]; l1 = l
    s = 'image ' // achar(iachar('0') + k)
    ss(1) = s; ss(2) = merge('second', 'other ', k == source)
  end subroutine
end program
