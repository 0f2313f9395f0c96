! Array arguments that the compiler does not know all of, or that are mapped in another way than where they come from: the
! case is the argument of the program.
program arguments
  use calls
  implicit none
  integer(8) :: p, t, u
  type(mapped) :: a
  integer, allocatable :: of_a(:)
  character(16) :: case
  integer :: images, me, i, xmp_num_nodes, xmp_node_num
  call get_command_argument(1, case)
  call xmpf_init_all_()
  images = xmp_num_nodes()
  me = xmp_node_num()
  call nodes(p, [-1])
  call template(t, p, [1], [4*images], [block], [0])
  call array(a, t, int4, [1], [4*images], [0], [0])
  allocate (of_a(0:a%size(1) - 1))
  call xmpf_array_set_local_array_(a%descriptor, of_a, 0)
  of_a = [(4*me - 4 + i, i=1, 4)]
  select case (case)
  case ('assumed')
    call assumed(of_a)
  case ('cyclic')
    call cyclically(of_a)
  end select
  call xmp_barrier()
  call xmpf_finalize_all_()
contains
  ! real here(0:), align here(i) with t(i + 1): its extent is said to be 0.
  subroutine assumed(here)
    integer, intent(inout) :: here(0:)
    type(mapped) :: b
    integer :: upper, xmp_array_ubound
    call xmpf_array_alloc_(b%descriptor, 1, int4, 0_8, t)
    call xmp_f_init_allocated_(b%descriptor)
    call xmpf_align_info_(b%descriptor, 0, 0, -1, 0, 1)
    call xmpf_array_init_(b%descriptor)
    call xmpf_array_get_local_size_off_(b%descriptor, 0, b%size(1), b%first(1), b%origin(1))
    call xmpf_array_set_local_array_(b%descriptor, here, 0)
    i = xmp_array_ubound(b%descriptor, 1, upper)
    call expect(upper == 4*images - 1, 'it ends where the template does')
    call expect(b%size(1) == 4 .and. b%origin(1) == 4*me - 4, 'its part is where it was')
    call expect(here(4*me - 1 - b%origin(1)) == 4*me, 'its last own element')
    call xmpf_array_dealloc_(b%descriptor)
  end subroutine

  ! The sum of all elements is right whichever they are.
  subroutine cyclically(here)
    integer, intent(inout) :: here(0:*)
    type(mapped) :: b
    call template(u, p, [1], [4*images], [cyclic], [0])
    call array(b, u, int4, [1], [4*images], [0], [0])
    call xmpf_array_set_local_array_(b%descriptor, here, 0)
    call expect(total(sum(here(0:3))) == 2*images*(4*images + 1), 'the sum of all elements')
    call xmpf_array_dealloc_(b%descriptor)
  end subroutine
end program
