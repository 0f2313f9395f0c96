! Cosubscripts: image_index, this_image and cobounds of coarrays of corank 1 to 3.
subroutine xmpf_main()
  use expecting
  implicit none
  integer :: me, images, i, one(1), two(2), three(3), c1, c2, c3, xmpf_lcobound, xmpf_ucobound
  integer(8) :: d1, d2, d3
  common /xmpf_descptr_cobounds/ d1, d2, d3

  me = xmpf_this_image_generic()
  images = xmpf_num_images_generic()
  ! x(1)[0:*], y(1)[2, *], z(1)[2:3, -1:1, 5:*]
  one = xmpf_this_image_generic(d1, 1)
  two = xmpf_this_image_generic(d2, 2)
  three = xmpf_this_image_generic(d3, 3)
  call expect(one(1) == me - 1, 'this_image of corank 1')
  call expect(all(two == [mod(me - 1, 2) + 1, (me - 1) / 2 + 1]), 'this_image of corank 2')
  call expect(all(three == [mod(me - 1, 2) + 2, mod((me - 1) / 2, 3) - 1, (me - 1) / 6 + 5]), 'this_image of corank 3')
  call expect(xmpf_this_image_generic(d3, 3, 2) == three(2), 'this_image of a codimension')
  do i = 1, images
    c1 = mod(i - 1, 2)
    c2 = mod((i - 1) / 2, 3)
    c3 = (i - 1) / 6
    call expect(xmpf_image_index_generic(d1, i - 1) == i, 'image_index of corank 1')
    call expect(xmpf_image_index_generic(d2, c1 + 1, (i - 1) / 2 + 1) == i, 'image_index of corank 2')
    call expect(xmpf_image_index_generic(d3, c1 + 2, c2 - 1, c3 + 5) == i, 'image_index of corank 3')
    call expect(xmpf_image_index(d3, [c1 + 2, c2 - 1, c3 + 5]) == i, 'image_index of an array')
  end do
  call expect(xmpf_image_index_generic(d1, images) == 0, 'an image that there is not')
  call expect(xmpf_cobound_generic(d3, 1, 4, 0, 3) == 2 .and. xmpf_cobound_generic(d3, 2, 4, 1, 3) == 1, 'cobounds')
  call expect(all(xmpf_cobound_generic(d3, 4, 0, 3) == [2, -1, 5]), 'lower cobounds')
  call expect(all(xmpf_cobound_generic(d3, 4, 1, 3) == [3, 1, 4 + (images + 5) / 6]), 'upper cobounds')
  call expect(xmpf_lcobound(d1, 1) == 0 .and. xmpf_ucobound(d1, 1) == images - 1, 'cobounds of corank 1')
  call expect(.not. xmpf_coarray_uses_gasnet() .and. .not. xmpf_coarray_uses_fjrdma(), 'layers')
end subroutine xmpf_main

subroutine xmpf_traverse_countcoarray()
  integer :: i
  do i = 1, 3
    call xmpf_coarray_count_size(1, 4)
  end do
end subroutine xmpf_traverse_countcoarray

subroutine xmpf_traverse_initcoarray()
  integer(8) :: d(3), crayptr(3)
  integer :: i
  common /xmpf_descptr_cobounds/ d
  do i = 1, 3
    call xmpf_coarray_alloc_static(d(i), crayptr(i), 1, 4, 1, 'x')
    call xmpf_coarray_set_corank(d(i), i)
  end do
  call xmpf_coarray_set_codim(d(1), 0, 0, -999)
  call xmpf_coarray_set_codim(d(2), 0, 1, 2)
  call xmpf_coarray_set_codim(d(2), 1, 1, -999)
  call xmpf_coarray_set_codim(d(3), 0, 2, 3)
  call xmpf_coarray_set_codim(d(3), 1, -1, 1)
  call xmpf_coarray_set_codim(d(3), 2, 5, -999)
end subroutine xmpf_traverse_initcoarray
