! CO_BROADCAST, CO_SUM, CO_MAX and CO_MIN: of arrays with gaps, with a result, to one image.
subroutine xmpf_main()
  use expecting
  implicit none
  integer :: me, images, total
  integer(2) :: i2(3), k2(3)
  integer(4) :: i4, k4
  integer(8) :: i8(2, 2)
  real(4) :: r4(4), s4(2)
  real(8) :: r8
  complex(4) :: z8
  complex(8) :: z16(2)
  logical(2) :: l2
  logical(4) :: l4(2)

  me = xmpf_this_image_generic()
  images = xmpf_num_images_generic()
  total = images * (images + 1) / 2

  i4 = me
  call xmpf_co_sum_generic(i4)
  call expect(i4 == total, 'co_sum in place')
  i4 = me
  k4 = -1
  call xmpf_co_sum_generic(i4, k4)
  call expect(i4 == me .and. k4 == total, 'co_sum with a result')
  k4 = -1
  call xmpf_co_max_generic(i4, k4, images)
  call expect(i4 == me .and. k4 == merge(images, -1, me == images), 'co_max to an image')
  call xmpf_co_min_generic(i4, result_image=1)
  call expect(i4 == merge(1, me, me == 1), 'co_min in place at an image')
  i2 = [1, 2, 3] * int(me, 2)
  call xmpf_co_sum_generic(i2(3:1:-2), k2(1:2))
  call expect(all(k2(1:2) == [3, 1] * total) .and. all(i2 == [1, 2, 3] * me), 'integer(2), backwards')
  i8 = reshape([1, 2, 3, 4], [2, 2]) * me
  call xmpf_co_max_generic(i8)
  call expect(all(i8 == reshape([1, 2, 3, 4], [2, 2]) * images), 'integer(8)')
  r4 = [1, 2, 3, 4] * me
  s4 = 0
  call xmpf_co_sum_generic(r4(2:4:2), s4)
  call expect(all(s4 == [2, 4] * total), 'real(4) with gaps')
  call xmpf_co_min_generic(r4(1:3:2))
  call expect(all(r4 == [1, 2 * me, 3, 4 * me]), 'co_min with gaps')
  r8 = me
  call xmpf_co_max_generic(r8)
  call expect(r8 == images, 'real(8)')
  z8 = cmplx(me, -me)
  call xmpf_co_sum_generic(z8)
  call expect(z8 == cmplx(total, -total), 'complex(4)')
  z16 = [(1d0, 2d0), (3d0, 4d0)] * me
  call xmpf_co_sum_generic(z16)
  call expect(all(z16 == [(1d0, 2d0), (3d0, 4d0)] * total), 'complex(8)')

  i4 = 10 * me
  call xmpf_co_broadcast_generic(i4, images)
  call expect(i4 == 10 * images, 'co_broadcast')
  r4 = [1, 2, 3, 4] * me
  call xmpf_co_broadcast_generic(r4(1:4:3), 1)
  call expect(all(r4 == [1, 2 * me, 3 * me, 4]), 'co_broadcast with gaps')
  l2 = me == 1
  l4 = [me == 1, me == images]
  call xmpf_co_broadcast_generic(l2, 1)
  call xmpf_co_broadcast_generic(l4, images)
  call expect(l2 .and. l4(2) .and. (l4(1) .eqv. images == 1), 'co_broadcast of logicals')
  z16 = me
  call xmpf_co_broadcast_generic(z16, 1)
  call expect(all(z16 == 1), 'co_broadcast of complex(8)')
end subroutine xmpf_main

subroutine xmpf_traverse_countcoarray()
end subroutine xmpf_traverse_countcoarray

subroutine xmpf_traverse_initcoarray()
end subroutine xmpf_traverse_initcoarray
