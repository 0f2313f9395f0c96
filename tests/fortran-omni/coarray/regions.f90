! Coarrays in tasks, and the COARRAY and IMAGE directives: whose images are meant.
subroutine xmpf_main()
  use expecting
  implicit none
  integer :: x(3), y, z(3), me, images, half, n, start, xmpf_coarray_allocated_bytes, xmpf_coarray_garbage_bytes
  integer(8) :: p, q, r, t, tag, dx, dy, da = 0, db = 0
  integer, pointer :: a(:) => null(), b(:) => null()
  logical :: xmpf_test_task_on_nodes_
  pointer (px, x), (py, y)
  common /xmpf_descptr_regions/ dx, dy
  common /xmpf_crayptr_regions/ px, py

  call xmpf_coarray_prolog(tag, 4, 'main')
  me = xmpf_this_image_generic()
  images = xmpf_num_images_generic()
  half = (images + 1) / 2
  start = xmpf_coarray_allocated_bytes()
  x = me
  y = 10 * me
  call xmpf_nodes_alloc_(p, 1)
  call xmpf_nodes_dim_size_(p, 0, images)
  call xmpf_nodes_init_global_(p)

  ! The second half, in which indices start anew. Only its images synchronise and allocate.
  call xmpf_ref_nodes_alloc_(r, p, 1)
  call xmpf_ref_set_dim_info_(r, 0, 2, images - half + 1, images, 1)
  call xmpf_ref_init_(r)
  do n = 1, 3
    call xmpf_create_task_nodes_(t, r)
    if (xmpf_test_task_on_nodes_(t)) then
      call expect(xmpf_num_images_generic() == half, 'images of a task')
      call expect(xmpf_this_image_generic() == me - (images - half), 'number in a task')
      call expect(xmpf_image_index_generic(dx, half) == half, 'image_index in a task')
      call xmp_get_primary_image_index(3, [1, half, half + 1], z)
      call expect(all(z == [images - half + 1, images, 0]), 'primary indices')
      call xmp_get_primary_image_index(2, [images, 1], z, p)
      call expect(all(z(1:2) == [images, 1]), 'primary indices of nodes')
      call xmp_get_image_index(2, [images - half, images], z, p)
      call expect(all(z(1:2) == [0, half]), 'current indices of nodes')
      call xmpf_sync_all(x)
      call expect(xmpf_coarray_get_generic(dx, half, x(1)) == images, 'get in a task')
      if (xmpf_this_image_generic() == 1) call xmpf_coarray_put_generic(dx, half, x(2), 100 + n)
      call xmpf_coarray_malloc_generic(da, a, 5, 4, tag, 1, 1, 5)
      call xmpf_coarray_set_corank(da, 1)
      call xmpf_coarray_set_codim(da, 0, 1, -998)
      call xmpf_coarray_malloc_generic(db, b, n, 4, tag, 1, 1, n)
      a = me
      b = 2 * me
      call xmpf_sync_all(x)
      call expect(all(xmpf_coarray_get_generic(da, 1, a(2:3)) == images - half + 1), 'a coarray of the task')
      call expect(xmpf_coarray_get_generic(db, half, b(n)) == 2 * images, 'another one')
      call xmpf_sync_images(0, 0, x)
      y = me
      call xmpf_co_max_generic(y)
      call expect(y == images, 'co_max in a task')
      y = 10 * me
      call xmpf_critical()
      call xmpf_end_critical()
      call xmpf_coarray_dealloc_generic(da, a)
      call xmpf_coarray_dealloc_generic(db, b)
      call xmpf_end_task_()
    end if
    call xmpf_nodes_dealloc_(t)
  end do
  call xmpf_sync_all(x)
  if (me == images) call expect(x(2) == 103, 'put in a task')
  call expect(xmpf_coarray_allocated_bytes() == start .and. xmpf_coarray_garbage_bytes() == 0, 'after the task')

  ! q is the second half, forwards: the COARRAY directive makes its numbers those of y, everywhere.
  call xmpf_nodes_alloc_(q, 1)
  call xmpf_nodes_dim_size_(q, 0, half)
  call xmpf_nodes_init_nodes_(q, r)
  call xmpf_coarray_set_nodes(dy, q)
  call xmpf_coarray_set_corank(dy, 1)
  call xmpf_coarray_set_codim(dy, 0, 1, -999)
  call xmpf_sync_all(y)
  call expect(xmpf_coarray_get_generic(dy, 1, y) == 10 * (images - half + 1), 'the first of the nodes')
  call expect(xmpf_coarray_get_generic(dy, half, y) == 10 * images, 'the last of the nodes')
  call expect(xmpf_image_index_generic(dy, half + 1) == 0, 'there are no more')
  call expect(xmpf_this_image_generic(dy, 1, 1) == max(0, me - (images - half)), 'this_image of the nodes')
  call xmpf_create_task_nodes_(t, r)
  if (xmpf_test_task_on_nodes_(t)) then
    call expect(xmpf_coarray_get_generic(dy, 1, y) == 10 * (images - half + 1), 'in a task as well')
    call xmpf_end_task_()
  end if
  call xmpf_nodes_dealloc_(t)
  call xmpf_sync_all(y)

  ! The IMAGE directive is for one statement.
  if (me > images - half) then
    call xmpf_coarray_set_image_nodes(q)
    call xmpf_sync_all(x)
    call xmpf_coarray_set_image_nodes(q)
    call xmpf_sync_images(1, half, x)
    if (me == images) then
      do n = 1, half - 1
        call xmpf_coarray_set_image_nodes(q)
        call xmpf_sync_images(1, n, x)
      end do
    end if
    y = me
    call xmpf_coarray_set_image_nodes(q)
    call xmpf_co_sum_generic(y)
    call expect(y == half * (2 * images - half + 1) / 2, 'co_sum of the nodes')
    y = me
    call xmpf_coarray_set_image_nodes(q)
    call xmpf_co_broadcast_generic(y, 1)
    call expect(y == images - half + 1, 'co_broadcast of the nodes')
  end if
  call xmpf_sync_all(x)
  call xmpf_nodes_dealloc_(q)
  call xmpf_ref_dealloc_(r)
  call xmpf_nodes_dealloc_(p)
  call xmpf_coarray_epilog(tag)
end subroutine xmpf_main

subroutine xmpf_traverse_countcoarray()
  call xmpf_coarray_count_size(3, 4)
  call xmpf_coarray_count_size(1, 4)
end subroutine xmpf_traverse_countcoarray

subroutine xmpf_traverse_initcoarray()
  integer(8) :: descptr(2), crayptr(2)
  integer :: i
  common /xmpf_descptr_regions/ descptr
  common /xmpf_crayptr_regions/ crayptr
  call xmpf_coarray_alloc_static(descptr(1), crayptr(1), 3, 4, 1, 'x')
  call xmpf_coarray_alloc_static(descptr(2), crayptr(2), 1, 4, 1, 'y')
  do i = 1, 2
    call xmpf_coarray_set_corank(descptr(i), 1)
    call xmpf_coarray_set_codim(descptr(i), 0, 1, -999)
  end do
end subroutine xmpf_traverse_initcoarray
