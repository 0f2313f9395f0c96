! Variables of the program that are registered as coarrays: a static one, and allocated ones (compiler allocation).
subroutine xmpf_main()
  use expecting
  implicit none
  integer :: me, images, next, before, n, start, xmpf_coarray_allocated_bytes
  real(8) :: static(10)
  integer, allocatable :: a(:, :)
  character(len=4), allocatable :: c(:)
  integer(8) :: ds, da = 0, dc = 0, tag
  common /xmpf_descptr_registered/ ds
  common /xmpf_variable_registered/ static

  call xmpf_coarray_prolog(tag, 4, 'main')
  me = xmpf_this_image_generic()
  images = xmpf_num_images_generic()
  next = mod(me, images) + 1
  before = mod(me + images - 2, images) + 1
  start = xmpf_coarray_allocated_bytes()
  static = me
  call xmpf_sync_all(static)
  call xmpf_coarray_put_generic(ds, next, static(2:8:3), 100d0 * me + [1, 2, 3])
  call xmpf_sync_all(static)
  call expect(all(static(2:8:3) == 100 * before + [1, 2, 3]) .and. count(static /= me) == 3, 'a static variable')
  call expect(xmpf_coarray_get_generic(ds, next, static(10)) == next, 'get from a static variable')
  call xmpf_sync_all(static)
  do n = 1, 5
    allocate (a(n, 3), c(2))
    call xmpf_coarray_regmem_generic(da, a, 3 * n, 4, tag, 2, 1, n, 1, 3)
    call xmpf_coarray_regmem_generic(dc, c, 2, 4, tag, 1, 1, 2)
    a = 10 * me + n
    c = 'none'
    call xmpf_sync_all(a)
    call expect(all(xmpf_coarray_get_generic(da, next, a(n, :)) == 10 * next + n), 'an allocated variable')
    call xmpf_coarray_put_generic(dc, next, c(2), achar(iachar('a') + me))
    call xmpf_sync_all(a)
    call expect(c(1) == 'none' .and. c(2) == achar(iachar('a') + before), 'allocated characters')
    call xmpf_coarray_deregmem(da)
    call xmpf_coarray_deregmem(dc)
    deallocate (a, c)
  end do
  call expect(xmpf_coarray_allocated_bytes() == start, 'after it')
  call xmpf_coarray_epilog(tag)
end subroutine xmpf_main

subroutine xmpf_traverse_countcoarray()
end subroutine xmpf_traverse_countcoarray

subroutine xmpf_traverse_initcoarray()
  integer(8) :: ds
  real(8) :: static(10)
  common /xmpf_descptr_registered/ ds
  common /xmpf_variable_registered/ static
  call xmpf_coarray_regmem_static(ds, loc(static), 10, 8, 6, 'static')
end subroutine xmpf_traverse_initcoarray
