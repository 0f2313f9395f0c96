!> A scalar got from every image has that image's value: every intrinsic type.
program get_scalar
  use checks
  implicit none
  integer :: i[*]
  real(8) :: x[*]
  ! No scalar: gfortran 12 stores even local assignments to those in a temporary.
  complex(8) :: z(1)[*]
  logical :: l[*]
  character(5) :: s[*]
  integer :: me, from, got_i
  real(8) :: got_x
  complex(8) :: got_z
  logical :: got_l
  character(5) :: got_s

  me = this_image()
  i = 10 * me; x = 0.5d0 * me; z(1) = cmplx(me, -me, 8); l = mod(me, 2) == 0
  s = 'from' // achar(iachar('a') + me)
  sync all
  do from = 1, num_images()
    got_i = i[from]; got_x = x[from]; got_z = z(1)[from]; got_l = l[from]; got_s = s[from]
    call require_equal(got_i, 10 * from, 'integer')
    call require(got_x == 0.5d0 * from, 'real(8)')
    call require(got_z == cmplx(from, -from, 8), 'complex(8)')
    call require(got_l .eqv. mod(from, 2) == 0, 'logical')
    call require(got_s == 'from' // achar(iachar('a') + from), 'character: ' // got_s)
  end do
end program
