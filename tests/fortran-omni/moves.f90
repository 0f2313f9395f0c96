! gmove: between distributions, sections, scalars, local arrays; in and out; in the background.
module moves_state
  use calls
  implicit none
  integer, parameter :: n = 24
  integer(8) :: p, t, u
  type(mapped) :: a, b
  integer, allocatable :: of_a(:, :), of_b(:, :)
contains
  ! A side of a gmove: everything, an index (last 0) or a triplet in each dimension.
  subroutine side(g, of, first, last, step)
    integer(8), intent(out) :: g
    type(mapped), intent(in) :: of
    integer, intent(in) :: first(2), last(2), step(2)
    integer :: dim
    call xmpf_gmv_g_alloc_(g, of%descriptor)
    do dim = 1, 2
      call xmpf_gmv_g_dim_info_(g, dim - 1, merge(1, 2, last(dim) == 0), first(dim), last(dim), step(dim))
    end do
  end subroutine

  subroutine assign(left, right, mode)
    integer(8), intent(inout) :: left, right
    integer, intent(in) :: mode
    call xmpf_gmv_do_(left, right, mode)
    call xmpf_gmv_dealloc_(left)
    call xmpf_gmv_dealloc_(right)
  end subroutine

  ! Sets all elements of an array to a value of their indices, its first dimension being whole.
  subroutine fill(of, here, v)
    type(mapped), intent(in) :: of
    integer, intent(out) :: here(1:, 0:)
    integer, intent(in) :: v
    integer :: i, k, j
    do k = 0, size(here, 2) - 1
      j = column(of, k)
      do i = 1, 4
        here(i, k) = v + 100 * i + j
      end do
    end do
  end subroutine

  ! The global index of a column.
  integer function column(of, k)
    type(mapped), intent(in) :: of
    integer, intent(in) :: k
    integer(8) :: r, of_template
    integer :: xmp_align_template
    column = xmp_align_template(of%descriptor, of_template)
    call xmpf_ref_templ_alloc_(r, of_template, 2)
    call xmpf_ref_set_loop_info_(r, 0, 1, 0)
    call xmpf_ref_init_(r)
    column = global(r, k + of%first(2))
    call xmpf_ref_dealloc_(r)
  end function
end module

program moves
  use moves_state
  implicit none
  integer(8) :: left, right
  integer :: i, j, k, local(0:3, n), one, xmp_node_num
  call xmpf_init_all_()
  call nodes(p, [-1])
  call template(t, p, [1, 1], [4, n], [collapsed, block], [0, 0])
  call template(u, p, [1, 1], [4, n], [collapsed, cyclic], [0, 3])
  call array(a, t, int4, [1, 1], [4, n], [0, 0], [0, 0])
  call array(b, u, int4, [1, 1], [4, n], [0, 0], [0, 0])
  allocate (of_a(1:a%size(1), 0:a%size(2) - 1), of_b(1:b%size(1), 0:b%size(2) - 1))
  ! Both are variables of a module, say: others may get at them.
  call xmpf_array_set_local_array_(a%descriptor, of_a, 1)
  call xmpf_array_set_local_array_(b%descriptor, of_b, 1)

  ! b(:, :) = a(:, :)
  call fill(a, of_a, 0)
  of_b = -1
  call side(left, b, [1, 1], [4, n], [1, 1])
  call side(right, a, [1, 1], [4, n], [1, 1])
  call assign(left, right, 400)
  do k = 0, size(of_b, 2) - 1
    call expect(all(of_b(:, k) == [(100 * i + column(b, k), i=1, 4)]), 'another distribution')
  end do

  ! a(2, 1:n:2) = b(3, n:2:-2), in the background.
  call xmpf_init_async_(1)
  call side(left, a, [2, 1], [0, n], [0, 2])
  call side(right, b, [3, n], [0, 2], [0, -2])
  call assign(left, right, 400)
  call xmpf_start_async_()
  call xmpf_wait_async_(1, omitted)
  do k = 0, size(of_a, 2) - 1
    j = column(a, k)
    i = merge(300 + n + 1 - j, 200 + j, mod(j, 2) == 1)
    call expect(of_a(2, k) == i, 'sections backwards')
    call expect(of_a(3, k) == 300 + j, 'nothing else')
  end do

  ! local(:, 2:n) = b(:, 1:n-1); one = b(4, 7); b(1, 5) = one
  local = 0
  call xmpf_gmv_l_alloc_(left, local, 2)
  call xmpf_gmv_l_dim_info_(left, 0, 0, 3, 0, 0, 0, 0)
  call xmpf_gmv_l_dim_info_(left, 1, 1, n, 2, 2, n, 1)
  call side(right, b, [1, 1], [4, n - 1], [1, 1])
  call assign(left, right, 400)
  call expect(all(local(:, 1) == 0), 'a local array')
  do j = 2, n
    call expect(all(local(:, j) == [(100 * i + j - 1, i=1, 4)]), 'a local array gets everything')
  end do
  call xmpf_gmv_l_alloc_(left, one, 0)
  call side(right, b, [4, 7], [0, 0], [0, 0])
  call assign(left, right, 400)
  call expect(one == 407, 'a scalar gets an element')
  one = -5
  call side(left, b, [1, 5], [0, 0], [0, 0])
  call xmpf_gmv_l_alloc_(right, one, 0)
  call assign(left, right, 400)
  do k = 0, size(of_b, 2) - 1
    call expect(of_b(1, k) == merge(-5, 100 + column(b, k), column(b, k) == 5), 'an element gets a scalar')
  end do

  ! in: a(1, :) = b(1, :) on the nodes that have a part of a, without the others' doing anything.
  call xmp_barrier()
  call side(left, a, [1, 1], [0, n], [0, 1])
  call side(right, b, [1, 1], [0, n], [0, 1])
  call assign(left, right, 401)
  do k = 0, size(of_a, 2) - 1
    j = column(a, k)
    call expect(of_a(1, k) == merge(-5, 100 + j, j == 5), 'gmove in')
  end do
  ! a(1, :) = b(4, :), in the background.
  call xmpf_init_async_(2)
  call side(left, a, [1, 1], [0, n], [0, 1])
  call side(right, b, [4, 1], [0, n], [0, 1])
  call assign(left, right, 401)
  call xmpf_start_async_()
  call xmp_barrier()
  call xmpf_wait_async_(2, omitted)
  do k = 0, size(of_a, 2) - 1
    call expect(of_a(1, k) == 400 + column(a, k), 'gmove in in the background')
  end do
  call side(left, a, [1, 1], [0, n], [0, 1])
  call side(right, b, [1, 1], [0, n], [0, 1])
  call assign(left, right, 401)
  call xmp_barrier()
  ! out: b(4, :) = a(1, :); the executing owners see it then.
  call side(left, b, [4, 1], [0, n], [0, 1])
  call side(right, a, [1, 1], [0, n], [0, 1])
  call assign(left, right, 402)
  do k = 0, size(of_b, 2) - 1
    j = column(b, k)
    call expect(of_b(4, k) == merge(-5, 100 + j, j == 5), 'gmove out')
  end do
  ! out of whole columns, which are contiguous.
  call fill(a, of_a, 7000)
  call xmp_barrier()
  call side(left, b, [1, 1], [4, n], [1, 1])
  call side(right, a, [1, 1], [4, n], [1, 1])
  call assign(left, right, 402)
  call xmp_barrier()
  do k = 0, size(of_b, 2) - 1
    call expect(all(of_b(:, k) == [(7000 + 100 * i + column(b, k), i=1, 4)]), 'gmove out of columns')
  end do
  call xmp_barrier()
  call xmpf_array_dealloc_(a%descriptor)
  call xmpf_array_dealloc_(b%descriptor)
  call xmpf_template_dealloc_(t)
  call xmpf_template_dealloc_(u)
  call xmpf_nodes_dealloc_(p)
  call xmp_barrier()
  call xmpf_finalize_all_()
end program
