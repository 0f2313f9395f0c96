! What makes no sense: the case is the argument of the program, which ends with a message.
program bad
  use calls
  implicit none
  integer(8) :: p, t, r, s, n, left, right
  type(mapped) :: a, b
  integer, allocatable :: of_a(:)
  character(16) :: case
  integer :: number, xmp_num_nodes
  logical :: xmpf_test_task_on_nodes_
  call get_command_argument(1, case)
  call xmpf_init_all_()
  select case (case)
  case ('nodes')
    call nodes(p, [4])
  case ('star')
    call nodes(p, [2, -1])
  end select
  call nodes(p, [-1])
  select case (case)
  case ('unfixed')
    call xmpf_template_alloc_(t, 1, 0)
    call array(a, t, int4, [1], [12], [0], [0])
  case ('gblock')
    call template(t, p, [1], [12], [gblock], [3, 3, 3])
  end select
  call template(t, p, [1], [12], [block], [0])
  if (case == 'align') then
    call xmpf_array_alloc_(a%descriptor, 1, int4, 0, t)
    call xmpf_align_info_(a%descriptor, 0, 1, 12, 0, 1)
    call xmpf_array_init_(a%descriptor)
  end if
  call array(a, t, int4, [1], [12], [1], [1])
  if (case == 'allocated') call xmpf_reflect_(a%descriptor)
  allocate (of_a(0:a%size(1) - 1))
  call xmpf_array_set_local_array_(a%descriptor, of_a, 0)
  of_a = 0
  select case (case)
  case ('post')
    call xmp_post(p, xmp_num_nodes() + 1, 3)
  case ('reflect')
    call xmpf_set_reflect_(a%descriptor, 0, 2, 0, 0)
    call xmpf_reflect_(a%descriptor)
  case ('gmove')
    call xmpf_gmv_g_alloc_(left, a%descriptor)
    call xmpf_gmv_g_dim_info_(left, 0, 2, 1, 5, 1)
    call xmpf_gmv_g_alloc_(right, a%descriptor)
    call xmpf_gmv_g_dim_info_(right, 0, 2, 6, 9, 1)
    call xmpf_gmv_do_(left, right, 400)
  case ('outside')
    call xmpf_gmv_g_alloc_(left, a%descriptor)
    call xmpf_gmv_g_dim_info_(left, 0, 2, 1, 13, 1)
    call xmpf_gmv_l_alloc_(right, number, 0)
    call xmpf_gmv_do_(left, right, 400)
  case ('local')
    call xmpf_gmv_l_alloc_(left, number, 0)
    call xmpf_gmv_l_alloc_(right, number, 0)
    call xmpf_gmv_do_(left, right, 400)
  case ('task')
    call on_nodes(r, p, [1], [0], [0])
    call xmpf_create_task_nodes_(n, r)
    if (xmpf_test_task_on_nodes_(n)) then
      call on_nodes(s, p, [1], [2], [1])
      call xmpf_create_task_nodes_(n, s)
      if (xmpf_test_task_on_nodes_(n)) print *, 'entered'
    end if
  case ('argument')
    call argument(of_a)
  case ('end')
    call xmpf_end_task_()
  case ('descriptor')
    call xmpf_reflect_(b%descriptor)
  case ('kind')
    call xmpf_barrier_(p)
  case ('operator')
    call xmpf_reduction_(number, 1, int4, 399, omitted, 0)
  case ('matmul')
    call xmp_matmul(a%descriptor, a%descriptor, a%descriptor)
  end select
  call xmp_barrier()
  call xmpf_finalize_all_()
contains
  ! A procedure that maps its argument in another way.
  subroutine argument(here)
    integer, intent(inout) :: here(0:*)
    call template(t, p, [1], [12], [cyclic], [0])
    call array(b, t, int4, [1], [12], [0], [0])
    call xmpf_array_set_local_array_(b%descriptor, here, 0)
  end subroutine
end program
