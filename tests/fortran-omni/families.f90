! Nodes with * in their declaration, row(w)=p(1:w,*), are other ones on each image: an array distributed onto them has a
! copy in each row, and gmoves that all images execute reach all of them.
program families
  use calls
  implicit none
  integer, parameter :: n = 24
  integer(8) :: p, all_nodes, row, r, t, u
  type(mapped) :: a, b
  integer, allocatable :: of_a(:), of_b(:)
  integer :: w, xmp_all_num_nodes
  call xmpf_init_all_()
  w = merge(2, 1, mod(xmp_all_num_nodes(), 2) == 0)
  call nodes(p, [w, -1])
  call on_nodes(r, p, [1, 0], [w, 0], [1, 1])
  call nodes_sizes(row, [w])
  call xmpf_nodes_init_nodes_(row, r)
  call xmpf_ref_dealloc_(r)
  call nodes(all_nodes, [-1])
  call template(t, row, [1], [n], [block], [0])
  call template(u, all_nodes, [1], [n], [cyclic], [0])
  call array(a, t, int4, [1], [n], [0], [0])
  call array(b, u, int4, [1], [n], [0], [0])
  allocate (of_a(a%size(1)), of_b(b%size(1)))
  call xmpf_array_set_local_array_(a%descriptor, of_a, 0)
  call xmpf_array_set_local_array_(b%descriptor, of_b, 0)
  call expect(size(of_a) == n / w, 'each row has everything')

  of_a = -1
  of_b = 10 * indices(b, u)
  call assign(a, b)
  call expect(all(of_a == 10 * indices(a, t)), 'a copy in each row')
  of_a = of_a + 1
  of_b = -1
  call assign(b, a)
  call expect(all(of_b == 10 * indices(b, u) + 1), 'of one of the copies')
  call xmp_barrier()
  call xmpf_finalize_all_()
contains
  ! The indices of the elements that this image has.
  function indices(of, onto)
    type(mapped), intent(in) :: of
    integer(8), intent(in) :: onto
    integer :: indices(of%size(1)), k
    call xmpf_ref_templ_alloc_(r, onto, 1)
    call xmpf_ref_set_loop_info_(r, 0, 0, 0)
    call xmpf_ref_init_(r)
    do k = 1, size(indices)
      indices(k) = global(r, k - 1 + of%first(1))
    end do
    call xmpf_ref_dealloc_(r)
  end function

  ! to(:) = from(:)
  subroutine assign(to, from)
    type(mapped), intent(in) :: to, from
    integer(8) :: left, right
    call xmpf_gmv_g_alloc_(left, to%descriptor)
    call xmpf_gmv_g_dim_info_(left, 0, 0, 0, 0, 0)
    call xmpf_gmv_g_alloc_(right, from%descriptor)
    call xmpf_gmv_g_dim_info_(right, 0, 0, 0, 0, 0)
    call xmpf_gmv_do_(left, right, 400)
    call xmpf_gmv_dealloc_(left)
    call xmpf_gmv_dealloc_(right)
  end subroutine
end program
