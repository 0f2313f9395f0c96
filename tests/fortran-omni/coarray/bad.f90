! What ends a program: the case is the first argument.
subroutine xmpf_main()
  use expecting
  implicit none
  integer :: x(4), me, images
  integer(8) :: dx, da = 0, tag, p, r, t
  integer, pointer :: a(:) => null()
  character(len=20) :: case
  logical :: xmpf_test_task_on_nodes_
  pointer (px, x)
  common /xmpf_descptr_bad/ dx
  common /xmpf_crayptr_bad/ px

  call get_command_argument(1, case)
  call xmpf_coarray_prolog(tag, 4, 'main')
  me = xmpf_this_image_generic()
  images = xmpf_num_images_generic()
  x = me
  call xmpf_sync_all(x)
  select case (case)
  case ('image')
    call xmpf_coarray_put_generic(dx, images + 1, x(1), me)
  case ('nothing')
    x(1:2) = xmpf_coarray_get_generic(dx, 0, x(1:2))
  case ('beyond')
    call xmpf_coarray_put_generic(dx, 1, x(1000001:1000004), x)
  case ('shape')
    call xmpf_coarray_put_generic(dx, 1, x(1:3), x)
  case ('unallocated')
    x(1) = xmpf_coarray_get_generic(da, 1, x(1))
  case ('deallocated')
    call allocate_one(5)
    call xmpf_coarray_dealloc_generic(da, a)
    x(1) = xmpf_coarray_get_generic(da, 1, x(1))
  case ('twice')
    call allocate_one(5)
    call allocate_one(5)
  case ('negative')
    call xmpf_coarray_malloc_generic(da, a, -1, 4, tag, 1, 1, -1)
  case ('differ')
    call allocate_one(5 + me)
  case ('too_large')
    call xmpf_coarray_malloc_generic(da, a, huge(1), 1000000000, tag, 1, 1, huge(1))
  case ('cosubscript')
    call xmpf_coarray_set_corank(dx, 2)
    call xmpf_coarray_set_codim(dx, 0, 1, 2)
    call xmpf_coarray_set_codim(dx, 1, 1, -999)
    x(1) = xmpf_image_index_generic(dx, 3, 1)
  case ('kind')
    x(1) = xmpf_cobound_generic(dx, 1, 8, 0, 1)
  case ('sync')
    call xmpf_sync_images(2, [1, images + 1], x)
  case ('root')
    call xmpf_co_broadcast_generic(x, 0)
  case ('critical')
    call xmpf_end_critical()
  case ('lock')
    call xmp_lock(x(1), images + 1)
  case ('astray')
    call xmp_lock(me, 1)
  case ('half')
    call xmp_lock(x(2), 1)
  case ('tag')
    tag = 12345
    call xmpf_coarray_epilog(tag)
  case ('static')
    call xmpf_coarray_deregmem(dx)
  case ('late')
    call xmpf_coarray_count_size(1, 4)
  case ('left')
    call xmpf_nodes_alloc_(p, 1)
    call xmpf_nodes_dim_size_(p, 0, images)
    call xmpf_nodes_init_global_(p)
    call xmpf_ref_nodes_alloc_(r, p, 1)
    call xmpf_ref_set_dim_info_(r, 0, 2, 1, 2, 1)
    call xmpf_ref_init_(r)
    call xmpf_create_task_nodes_(t, r)
    if (xmpf_test_task_on_nodes_(t)) then
      call allocate_one(5)
      call xmpf_end_task_()
    end if
  case ('outside')
    call allocate_one(5)
    call xmpf_nodes_alloc_(p, 1)
    call xmpf_nodes_dim_size_(p, 0, images)
    call xmpf_nodes_init_global_(p)
    call xmpf_ref_nodes_alloc_(r, p, 1)
    call xmpf_ref_set_dim_info_(r, 0, 2, 1, 2, 1)
    call xmpf_ref_init_(r)
    call xmpf_create_task_nodes_(t, r)
    if (xmpf_test_task_on_nodes_(t)) call xmpf_coarray_dealloc_generic(da, a)
  case default
    write (0, '(a)') 'no such case'
  end select
  call xmpf_sync_all(x)
contains
  subroutine allocate_one(n)
    integer, intent(in) :: n
    call xmpf_coarray_malloc_generic(da, a, n, 4, tag, 1, 1, n)
    call xmpf_coarray_set_varname(da, 1, 'a')
  end subroutine allocate_one
end subroutine xmpf_main

subroutine xmpf_traverse_countcoarray()
  call xmpf_coarray_count_size(4, 4)
end subroutine xmpf_traverse_countcoarray

subroutine xmpf_traverse_initcoarray()
  integer(8) :: dx, px
  common /xmpf_descptr_bad/ dx
  common /xmpf_crayptr_bad/ px
  call xmpf_coarray_alloc_static(dx, px, 4, 4, 1, 'x')
  call xmpf_coarray_set_corank(dx, 1)
  call xmpf_coarray_set_codim(dx, 0, 1, -999)
end subroutine xmpf_traverse_initcoarray
