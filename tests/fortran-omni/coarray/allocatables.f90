! Allocatable coarrays: bounds, automatic deallocation, garbage, dummy arguments, repeated calls, recursion.
subroutine xmpf_main()
  use expecting
  implicit none
  integer(8) :: tag, da = 0, db = 0, ds = 0, dc = 0
  real(8), pointer :: a(:, :) => null()
  integer, pointer :: b(:) => null(), s => null()
  character(len=7), pointer :: c(:) => null()
  integer :: me, images, next, before, start, n, xmpf_coarray_allocated_bytes, xmpf_coarray_garbage_bytes
  external :: again, recursive_one

  call xmpf_coarray_prolog(tag, 4, 'main')
  me = xmpf_this_image_generic()
  images = xmpf_num_images_generic()
  next = mod(me, images) + 1
  before = mod(me + images - 2, images) + 1
  start = xmpf_coarray_allocated_bytes()

  call xmpf_coarray_malloc_generic(da, a, 12, 8, tag, 2, -1, 1, 3, 6)
  call xmpf_coarray_set_corank(da, 1)
  call xmpf_coarray_set_codim(da, 0, 1, -998)
  call xmpf_coarray_set_varname(da, 1, 'a')
  call expect(all(lbound(a) == [-1, 3]) .and. all(ubound(a) == [1, 6]) .and. size(a) == 12, 'bounds')
  call expect(xmpf_coarray_allocated_bytes() == start + 96, 'what is allocated')
  a = me
  a(0, 5) = 10 * me
  call xmpf_sync_all(a)
  call expect(xmpf_coarray_get_generic(da, next, a(0, 5)) == 10 * next, 'an element')
  call expect(all(xmpf_coarray_get_generic(da, next, a(-1:1:2, 4)) == next), 'elements')
  call xmpf_sync_all(a)
  call xmpf_coarray_put_generic(da, next, a(:, 6), [me + 0d0, me + 1d0, me + 2d0])
  call xmpf_sync_all(a)
  call expect(all(a(:, 6) == before + [0, 1, 2]) .and. all(a(:, 3) == me), 'a column that was put')

  ! A scalar, one of no elements, characters.
  call xmpf_coarray_malloc_generic(ds, s, 1, 4, tag, 0)
  call xmpf_coarray_malloc_generic(db, b, 0, 4, tag, 1, 1, 0)
  call xmpf_coarray_malloc_generic(dc, c, 2, 7, tag, 1, 0, 1)
  call expect(size(b) == 0 .and. lbound(c, 1) == 0 .and. len(c) == 7, 'a scalar, nothing, characters')
  s = me
  c = 'image ' // achar(iachar('0') + me)
  call xmpf_sync_all(s)
  call expect(xmpf_coarray_get_generic(ds, next, s) == next, 'the scalar')
  call expect(xmpf_coarray_get_generic(dc, next, c(1)) == 'image ' // achar(iachar('0') + next), 'the characters')

  ! Garbage is what is younger than what lives.
  n = xmpf_coarray_allocated_bytes()
  call xmpf_coarray_dealloc_generic(da, a)
  call expect(.not. associated(a), 'deallocated')
  call expect(xmpf_coarray_garbage_bytes() == 96 .and. xmpf_coarray_allocated_bytes() == n, 'garbage')
  call xmpf_coarray_dealloc_generic(dc, c)
  call xmpf_coarray_dealloc_generic(db, b)
  call xmpf_coarray_dealloc_generic(ds, s)
  call expect(xmpf_coarray_garbage_bytes() == 0 .and. xmpf_coarray_allocated_bytes() == start, 'no garbage')

  do n = 1, 50
    call again(n)
  end do
  call expect(xmpf_coarray_garbage_bytes() == 0 .and. xmpf_coarray_allocated_bytes() == start, 'after the procedures')
  call recursive_one(5)
  call expect(xmpf_coarray_allocated_bytes() == start, 'after the recursion')

  ! For automatic deallocation at the end of the program.
  call xmpf_coarray_malloc_generic(da, a, 4, 8, tag, 2, 1, 2, 1, 2)
  a = me
  call dummy(a, next)
  call xmpf_coarray_epilog(tag)
  call expect(xmpf_coarray_allocated_bytes() == start, 'after the program')

contains
  ! A dummy argument that is a coarray: its descriptor is found by its address.
  subroutine dummy(x, image)
    real(8) :: x(2, 2)
    integer, intent(in) :: image
    integer(8) :: dx = 0
    call xmpf_coarray_find_descptr(dx, x, 1, 'x')
    call xmpf_coarray_set_corank(dx, 2)
    call xmpf_coarray_set_codim(dx, 0, 0, 1)
    call xmpf_coarray_set_codim(dx, 1, 1, -999)
    call xmpf_coarray_set_varname(dx, 1, 'x')
    call xmpf_sync_all(x)
    call expect(all(xmpf_coarray_get_generic(dx, image, x(:, 2)) == image), 'a dummy argument')
    call expect(xmpf_image_index_generic(dx, mod(image - 1, 2), (image - 1) / 2 + 1) == image, 'its cosubscripts')
    call xmpf_sync_all(x)
  end subroutine dummy
end subroutine xmpf_main

! Allocates three, deallocates two: the third is deallocated at its end.
subroutine again(n)
  use expecting
  implicit none
  integer, intent(in) :: n
  integer(8) :: tag, d(3) = 0
  real(4), pointer :: x(:), y(:, :), z(:)
  integer :: me, images
  call xmpf_coarray_prolog(tag, 5, 'again')
  me = xmpf_this_image_generic()
  images = xmpf_num_images_generic()
  call xmpf_coarray_malloc_generic(d(1), x, 10 * n, 4, tag, 1, 1, 10 * n)
  call xmpf_coarray_malloc_generic(d(2), y, n * n, 4, tag, 2, 1, n, 1, n)
  call xmpf_coarray_malloc_generic(d(3), z, 3, 4, tag, 1, 0, 2)
  x = me
  y = me + 0.5
  z = me + 0.25
  call xmpf_sync_all(x)
  call expect(xmpf_coarray_get_generic(d(1), images, x(n)) == images, 'again: x')
  call expect(xmpf_coarray_get_generic(d(2), 1, y(n, n)) == 1.5, 'again: y')
  call expect(all(xmpf_coarray_get_generic(d(3), images, z) == images + 0.25), 'again: z')
  call xmpf_coarray_dealloc_generic(d(1), x)
  call xmpf_coarray_dealloc_generic(d(3), z)
  call xmpf_coarray_epilog(tag)
end subroutine again

recursive subroutine recursive_one(depth)
  use expecting
  implicit none
  integer, intent(in) :: depth
  integer(8) :: tag, d
  integer, pointer :: x(:)
  call xmpf_coarray_prolog(tag, 13, 'recursive_one')
  d = 0
  call xmpf_coarray_malloc_generic(d, x, depth, 4, tag, 1, 1, depth)
  x = 100 * depth + xmpf_this_image_generic()
  if (depth > 1) call recursive_one(depth - 1)
  call xmpf_sync_all(x)
  call expect(xmpf_coarray_get_generic(d, 1, x(depth)) == 100 * depth + 1, 'recursion')
  call xmpf_sync_all(x)
  call xmpf_coarray_epilog(tag)
end subroutine recursive_one

subroutine xmpf_traverse_countcoarray()
end subroutine xmpf_traverse_countcoarray

subroutine xmpf_traverse_initcoarray()
end subroutine xmpf_traverse_initcoarray
