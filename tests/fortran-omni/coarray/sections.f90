! Sections of a static coarray of seven dimensions and of a large one: strides, both directions, holes on either side or both,
! scalars that are spread. Everything is compared with what an assignment within an image does.
subroutine xmpf_main()
  use expecting
  implicit none
  integer, parameter :: large = 4 * 1024 * 1024
  real(8) :: a(2, 3, 2, 3, 2, 3, 2), mine(2, 3, 2, 3, 2, 3, 2), like(2, 3, 2, 3, 2, 3, 2)
  real(8) :: b(6, 6), own(6, 6), other(6, 6), huge_one(large)
  integer :: me, images, next, i
  integer(8) :: da, db, dh
  pointer (pa, a), (pb, b), (ph, huge_one)
  common /xmpf_descptr_sections/ da, db, dh
  common /xmpf_crayptr_sections/ pa, pb, ph

  me = xmpf_this_image_generic()
  images = xmpf_num_images_generic()
  next = mod(me, images) + 1
  mine = reshape([(real(i, 8), i=1, size(mine))], shape(mine))

  a = -1
  call xmpf_sync_all(a)
  call xmpf_coarray_put_generic(da, next, a, mine)
  call xmpf_sync_all(a)
  call expect(all(a == mine), 'all of seven dimensions')
  call xmpf_sync_all(a)
  a = -1
  like = -1
  like(2:1:-1, 1:3:2, :, 2:3, 2:2, :, :) = mine(:, 2:3, :, 3:1:-2, 1:1, :, 2:1:-1)
  like(1, 2, :, 1, 1, 2, :) = 5
  call xmpf_sync_all(a)
  call xmpf_coarray_put_generic(da, next, a(2:1:-1, 1:3:2, :, 2:3, 2:2, :, :), mine(:, 2:3, :, 3:1:-2, 1:1, :, 2:1:-1))
  call xmpf_coarray_put_generic(da, next, a(1, 2, :, 1, 1, 2, :), 5d0)
  call xmpf_sync_all(a)
  call expect(all(a == like), 'sections of seven dimensions')
  mine = 0
  mine(:, 2:3, :, 3:1:-2, 1:1, :, 2:1:-1) = xmpf_coarray_get_generic(da, next, a(2:1:-1, 1:3:2, :, 2:3, 2:2, :, :))
  call expect(all(mine(:, 2:3, :, 3:1:-2, 1:1, :, 2:1:-1) == like(2:1:-1, 1:3:2, :, 2:3, 2:2, :, :)), 'a section that is got')
  call expect(count(mine /= 0) == 2 * 2 * 2 * 2 * 3 * 2, 'nothing else is got')

  ! Holes remotely, locally, and on both sides; dimensions that are together and that do not.
  own = reshape([(real(100 * me + i, 8), i=1, 36)], [6, 6])
  other = reshape([(real(100 * (mod(me + images - 2, images) + 1) + i, 8), i=1, 36)], [6, 6])
  b = 0
  call xmpf_sync_all(b)
  call xmpf_coarray_put_generic(db, next, b(:, 1:2), own(1:6:1, 5:6))
  call xmpf_coarray_put_generic(db, next, b(1:3, 3:4), own(4:6, 1:4:3))
  call xmpf_coarray_put_generic(db, next, b(1:6:2, 5), own(2, 4:6))
  call xmpf_coarray_put_generic(db, next, b(2:6:2, 5:6), own(1, 1))
  call xmpf_coarray_put_generic(db, next, b(5:4, :), own(5:4, :))
  call xmpf_sync_all(b)
  call expect(all(b(:, 1:2) == other(:, 5:6)), 'put of columns')
  call expect(all(b(1:3, 3:4) == other(4:6, 1:4:3)) .and. all(b(4:6, 3:4) == 0), 'put of parts of columns')
  call expect(all(b(1:6:2, 5) == other(2, 4:6)) .and. all(b(2:6:2, 5:6) == other(1, 1)), 'put of rows, of a scalar')
  call expect(all(b(1:6:2, 6) == 0), 'nothing else is put')
  call xmpf_sync_all(b)
  ! What this image has put is what it gets, without synchronisation.
  call xmpf_coarray_put_generic(db, next, b(6, 6), real(1000 + me, 8))
  call expect(xmpf_coarray_get_generic(db, next, b(6, 6)) == 1000 + me, 'get after put')
  call xmpf_coarray_put_generic(db, next, b(1:5, 6), real([1, 2, 3, 4, 5] * me, 8))
  call expect(all(xmpf_coarray_get_generic(db, next, b(5:1:-1, 6)) == [5, 4, 3, 2, 1] * me), 'get of a section after put')

  ! 32 MB, without any setting.
  do i = 1, large, 4096
    huge_one(i) = me + i
  end do
  call xmpf_sync_all(huge_one)
  do i = 1, large, 4096 * 128
    call expect(xmpf_coarray_get_generic(dh, next, huge_one(i)) == next + i, 'a large coarray')
  end do
  call xmpf_sync_all(huge_one)
end subroutine xmpf_main

subroutine xmpf_traverse_countcoarray()
  call xmpf_coarray_count_size(432, 8)
  call xmpf_coarray_count_size(36, 8)
  call xmpf_coarray_count_size(4194304, 8)
end subroutine xmpf_traverse_countcoarray

subroutine xmpf_traverse_initcoarray()
  integer(8) :: descptr(3), crayptr(3)
  common /xmpf_descptr_sections/ descptr
  common /xmpf_crayptr_sections/ crayptr
  call xmpf_coarray_alloc_static(descptr(1), crayptr(1), 432, 8, 1, 'a')
  call xmpf_coarray_alloc_static(descptr(2), crayptr(2), 36, 8, 1, 'b')
  call xmpf_coarray_alloc_static(descptr(3), crayptr(3), 4194304, 8, 8, 'huge_one')
end subroutine xmpf_traverse_initcoarray
