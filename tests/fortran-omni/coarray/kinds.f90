! Static coarrays of each type: a(4)[*] and, for characters, c(3)[*]. Scalars and arrays are put and got around a ring.
subroutine xmpf_main()
  use expecting
  implicit none
  integer :: me, images, next, before
  integer(2) :: i2(4), b2(4)
  integer(4) :: i4(4), b4(4)
  integer(8) :: i8(4), b8(4)
  logical(2) :: l2(4), m2(4)
  logical(4) :: l4(4), m4(4)
  logical(8) :: l8(4), m8(4)
  real(4) :: r4(4), s4(4)
  real(8) :: r8(4), s8(4)
  complex(4) :: z8(4), y8(4)
  complex(8) :: z16(4), y16(4)
  character(len=5) :: c(3), d(3)
  integer(8) :: di2, di4, di8, dl2, dl4, dl8, dr4, dr8, dz8, dz16, dc
  pointer (pi2, i2), (pi4, i4), (pi8, i8), (pl2, l2), (pl4, l4), (pl8, l8), (pr4, r4), (pr8, r8), (pz8, z8), (pz16, z16), &
    (pc, c)
  common /xmpf_descptr_kinds/ di2, di4, di8, dl2, dl4, dl8, dr4, dr8, dz8, dz16, dc
  common /xmpf_crayptr_kinds/ pi2, pi4, pi8, pl2, pl4, pl8, pr4, pr8, pz8, pz16, pc

  me = xmpf_this_image_generic()
  images = xmpf_num_images_generic()
  next = mod(me, images) + 1
  before = mod(me + images - 2, images) + 1
  ! Put: element 1 as a scalar, 2 and 3 as an array, 4 by spreading a scalar.
  call xmpf_coarray_put_generic(di2, next, i2(1), 10_2 + int(me, 2))
  call xmpf_coarray_put_generic(di2, next, i2(2:3), [20_2, 30_2] + int(me, 2))
  call xmpf_coarray_put_generic(di2, next, i2(4:4), int(me, 2))
  call xmpf_coarray_put_generic(di4, next, i4(1), 10 + me)
  call xmpf_coarray_put_generic(di4, next, i4(2:3), [20, 30] + me)
  call xmpf_coarray_put_generic(di4, next, i4(4:4), me)
  call xmpf_coarray_put_generic(di8, next, i8(1), 10_8 + me)
  call xmpf_coarray_put_generic(di8, next, i8(2:3), [20_8, 30_8] + me)
  call xmpf_coarray_put_generic(di8, next, i8(4:4), int(me, 8))
  call xmpf_coarray_put_generic(dl2, next, l2(1), .true._2)
  call xmpf_coarray_put_generic(dl2, next, l2(2:3), [.false._2, .true._2])
  call xmpf_coarray_put_generic(dl2, next, l2(4:4), .true._2)
  call xmpf_coarray_put_generic(dl4, next, l4(1), .true.)
  call xmpf_coarray_put_generic(dl4, next, l4(2:3), [.false., .true.])
  call xmpf_coarray_put_generic(dl4, next, l4(4:4), .true.)
  call xmpf_coarray_put_generic(dl8, next, l8(1), .true._8)
  call xmpf_coarray_put_generic(dl8, next, l8(2:3), [.false._8, .true._8])
  call xmpf_coarray_put_generic(dl8, next, l8(4:4), .true._8)
  call xmpf_coarray_put_generic(dr4, next, r4(1), 10.0 + me)
  call xmpf_coarray_put_generic(dr4, next, r4(2:3), [20.0, 30.0] + me)
  call xmpf_coarray_put_generic(dr4, next, r4(4:4), real(me))
  call xmpf_coarray_put_generic(dr8, next, r8(1), 10d0 + me)
  call xmpf_coarray_put_generic(dr8, next, r8(2:3), [20d0, 30d0] + me)
  call xmpf_coarray_put_generic(dr8, next, r8(4:4), dble(me))
  call xmpf_coarray_put_generic(dz8, next, z8(1), (10.0, 1.0) + me)
  call xmpf_coarray_put_generic(dz8, next, z8(2:3), [(20.0, 2.0), (30.0, 3.0)] + me)
  call xmpf_coarray_put_generic(dz8, next, z8(4:4), cmplx(me))
  call xmpf_coarray_put_generic(dz16, next, z16(1), (10d0, 1d0) + me)
  call xmpf_coarray_put_generic(dz16, next, z16(2:3), [(20d0, 2d0), (30d0, 3d0)] + me)
  call xmpf_coarray_put_generic(dz16, next, z16(4:4), cmplx(me, kind=8))
  ! Characters of other lengths are cut or padded.
  call xmpf_coarray_put_generic(dc, next, c(1), 'longer than five')
  call xmpf_coarray_put_generic(dc, next, c(2:2), ['ab'])
  call xmpf_coarray_put_generic(dc, next, c(3:3), achar(iachar('a') + me) // 'bcde')
  call xmpf_sync_all(i4)

  call expect(all(i2 == [10, 20, 30, 0] + before), 'integer(2)')
  call expect(all(i4 == [10, 20, 30, 0] + before), 'integer(4)')
  call expect(all(i8 == [10, 20, 30, 0] + before), 'integer(8)')
  call expect(all(l2 .eqv. [.true., .false., .true., .true.]), 'logical(2)')
  call expect(all(l4 .eqv. [.true., .false., .true., .true.]), 'logical(4)')
  call expect(logical(all(l8 .eqv. [.true., .false., .true., .true.])), 'logical(8)')
  call expect(all(r4 == [10, 20, 30, 0] + before), 'real(4)')
  call expect(all(r8 == [10, 20, 30, 0] + before), 'real(8)')
  call expect(all(z8 == [(10.0, 1.0), (20.0, 2.0), (30.0, 3.0), (0.0, 0.0)] + before), 'complex(4)')
  call expect(all(z16 == [(10.0, 1.0), (20.0, 2.0), (30.0, 3.0), (0.0, 0.0)] + before), 'complex(8)')
  call expect(c(1) == 'longe' .and. c(2) == 'ab   ' .and. c(3) == achar(iachar('a') + before) // 'bcde', 'character')

  ! Values of functions, and variables.
  b2 = [xmpf_coarray_get_generic(di2, next, i2(1)), xmpf_coarray_get_generic(di2, next, i2(2:4))]
  b4 = [xmpf_coarray_get_generic(di4, next, i4(1)), xmpf_coarray_get_generic(di4, next, i4(2:4))]
  b8 = [xmpf_coarray_get_generic(di8, next, i8(1)), xmpf_coarray_get_generic(di8, next, i8(2:4))]
  m2 = [xmpf_coarray_get_generic(dl2, next, l2(1)), xmpf_coarray_get_generic(dl2, next, l2(2:4))]
  m4 = [xmpf_coarray_get_generic(dl4, next, l4(1)), xmpf_coarray_get_generic(dl4, next, l4(2:4))]
  m8 = [xmpf_coarray_get_generic(dl8, next, l8(1)), xmpf_coarray_get_generic(dl8, next, l8(2:4))]
  s4 = [xmpf_coarray_get_generic(dr4, next, r4(1)), xmpf_coarray_get_generic(dr4, next, r4(2:4))]
  s8 = [xmpf_coarray_get_generic(dr8, next, r8(1)), xmpf_coarray_get_generic(dr8, next, r8(2:4))]
  y8 = [xmpf_coarray_get_generic(dz8, next, z8(1)), xmpf_coarray_get_generic(dz8, next, z8(2:4))]
  y16 = [xmpf_coarray_get_generic(dz16, next, z16(1)), xmpf_coarray_get_generic(dz16, next, z16(2:4))]
  d(1) = xmpf_coarray_get_generic(dc, next, c(1))
  d(2:3) = xmpf_coarray_get_generic(dc, next, c(2:3))
  call expect(all(b2 == [10, 20, 30, 0] + me) .and. all(b4 == [10, 20, 30, 0] + me), 'get of integers')
  call expect(all(b8 == [10, 20, 30, 0] + me), 'get of integer(8)')
  call expect(logical(all(m2 .eqv. m4) .and. all(m8 .eqv. [.true., .false., .true., .true.])), 'get of logicals')
  call expect(all(s4 == [10, 20, 30, 0] + me) .and. all(s8 == [10, 20, 30, 0] + me), 'get of reals')
  call expect(all(y8 == [(10.0, 1.0), (20.0, 2.0), (30.0, 3.0), (0.0, 0.0)] + me), 'get of complex(4)')
  call expect(all(y16 == [(10.0, 1.0), (20.0, 2.0), (30.0, 3.0), (0.0, 0.0)] + me), 'get of complex(8)')
  call expect(d(1) == 'longe' .and. d(2) == 'ab' .and. d(3) == achar(iachar('a') + me) // 'bcde', 'get of characters')
  b2 = 0
  b4 = 0
  s8 = 0
  d = ''
  call xmpf_coarray_getsub_generic(di2, next, i2(1), b2(4))
  call xmpf_coarray_getsub_generic(di4, next, i4(2:3), b4(4:1:-3))
  call xmpf_coarray_getsub_generic(dr8, next, r8, s8)
  call xmpf_coarray_getsub_generic(dc, next, c(1:3:2), d(1:2))
  call expect(b2(4) == 10 + me .and. all(b4 == [30 + me, 0, 0, 20 + me]), 'getsub of integers')
  call expect(all(s8 == [10, 20, 30, 0] + me), 'getsub of reals')
  call expect(d(1) == 'longe' .and. d(2) == achar(iachar('a') + me) // 'bcde' .and. d(3) == '', 'getsub of characters')
  call xmpf_sync_all(i4)
end subroutine xmpf_main

subroutine xmpf_traverse_countcoarray()
  integer :: sizes(10) = [2, 4, 8, 2, 4, 8, 4, 8, 8, 16], at
  do at = 1, 10
    call xmpf_coarray_count_size(4, sizes(at))
  end do
  call xmpf_coarray_count_size(3, 5)
end subroutine xmpf_traverse_countcoarray

subroutine xmpf_traverse_initcoarray()
  integer :: sizes(10) = [2, 4, 8, 2, 4, 8, 4, 8, 8, 16], at
  integer(8) :: descptr(11), crayptr(11)
  common /xmpf_descptr_kinds/ descptr
  common /xmpf_crayptr_kinds/ crayptr
  do at = 1, 10
    call xmpf_coarray_alloc_static(descptr(at), crayptr(at), 4, sizes(at), 4, 'some')
    call xmpf_coarray_set_corank(descptr(at), 1)
    call xmpf_coarray_set_codim(descptr(at), 0, 1, -999)
    call xmpf_coarray_set_varname(descptr(at), 4, 'some')
  end do
  call xmpf_coarray_alloc_static(descptr(11), crayptr(11), 3, 5, 1, 'c')
end subroutine xmpf_traverse_initcoarray
