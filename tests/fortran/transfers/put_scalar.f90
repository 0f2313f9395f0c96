!> A scalar put to the next image arrives there: every intrinsic type.
program put_scalar
  use checks
  implicit none
  integer :: i[*]
  real(8) :: x[*]
  ! No scalar: gfortran 12 stores even local assignments to those in a temporary.
  complex :: z(1)[*]
  logical :: l[*]
  character(5) :: s[*], text
  integer :: me, next, prev

  me = this_image(); next = right_of(me); prev = left_of(me)
  i = -1; x = -1; z = 0; l = .false.; s = ' '
  text = 'from' // achar(iachar('a') + me)
  sync all
  i[next] = me
  x[next] = 0.5d0 * me
  z(1)[next] = cmplx(me, -me)
  l[next] = .true.
  s[next] = text
  sync all
  call require_equal(i, prev, 'integer')
  call require(x == 0.5d0 * prev, 'real(8)')
  call require(z(1) == cmplx(prev, -prev), 'complex')
  call require(l, 'logical')
  call require(s == 'from' // achar(iachar('a') + prev), 'character: ' // s)
end program
