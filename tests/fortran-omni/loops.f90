! nodes, template, distribute, align, loop, reduction: every iteration is executed once, by who has its element.
subroutine every_iteration(p, manner, chunk)
  use calls
  implicit none
  integer(8), intent(in) :: p
  integer, intent(in) :: manner, chunk
  integer, parameter :: n = 53
  integer(8) :: t, r
  type(mapped) :: a
  integer, allocatable :: here(:)
  integer :: i, k, lower, upper, step, by, seen(n)
  call template(t, p, [1], [n], [manner], [chunk])
  call array(a, t, int4, [1], [n], [0], [0])
  allocate (here(0:a%size(1) - 1))
  call xmpf_array_set_local_array_(a%descriptor, here, 0)
  call expect(total(size(here)) == n, 'all elements are stored once')
  do by = -1, 1, 2
    here = 0
    seen = 0
    lower = merge(3, n - 4, by > 0)
    upper = merge(n - 4, 3, by > 0)
    step = by
    call schedule(r, t, 1, 1, lower, upper, step)
    do k = lower, upper, step
      i = global(r, k)
      here(k - a%first(1)) = i
      seen(i) = seen(i) + 1
    end do
    call xmpf_ref_dealloc_(r)
    call xmpf_reduction_(seen, n, int4, 300, omitted, 0)
    call expect(all(seen(3:n - 4) == 1), 'every iteration is executed once')
    call expect(all(seen(:2) == 0) .and. all(seen(n - 3:) == 0), 'no other is executed')
    call expect(total(sum(here)) == sum([(i, i=3, n - 4)]), 'each is where its element is')
  end do
  call xmpf_array_dealloc_(a%descriptor)
  call xmpf_template_dealloc_(t)
end subroutine

! Two dimensions, one of them with steps; indices without loops.
subroutine two_dimensions()
  use calls
  implicit none
  integer(8) :: p, t, r
  type(mapped) :: a
  real(8), allocatable :: here(:, :)
  real(8) :: found
  integer :: i, j, k, lower, upper, step, count
  call nodes(p, [-1])
  call template(t, p, [0, -1], [9, 20], [collapsed, block], [0, 0])
  call array(a, t, real8, [0, -1], [9, 20], [0, 0], [0, 0])
  call expect(a%size(1) == 9 .and. a%first(1) == 0, 'a dimension that all have keeps its bounds')
  allocate (here(0:a%size(1), 0:a%size(2) - 1))
  call xmpf_array_set_local_array_(a%descriptor, here, 0)
  here = 0
  lower = 19
  upper = 0
  step = -3
  call schedule(r, t, 2, 2, lower, upper, step)
  count = 0
  do k = lower, upper, step
    j = global(r, k)
    count = count + 1
    do i = 0, 9
      here(i, j - a%origin(2)) = 100 * i + j
    end do
  end do
  call expect(total(count) == 7, 'a step backwards')
  found = sum(here)
  call xmpf_reduction_(found, 1, real8, 300, omitted, 0)
  call expect(found == sum([((100d0 * i + j, i=0, 9), j=19, 0, -3)]), 'where it belongs')
  call xmpf_ref_dealloc_(r)
  call xmpf_array_dealloc_(a%descriptor)
  call xmpf_template_dealloc_(t)
  call xmpf_nodes_dealloc_(p)
end subroutine

! expand, margin; a value with a location.
subroutine widened(p)
  use calls
  implicit none
  integer(8), intent(in) :: p
  integer(8) :: t, r
  integer :: lower, upper, step, n, images, xmp_num_nodes, xmp_node_num, me, place
  real(8) :: greatest
  images = xmp_num_nodes()
  me = xmp_node_num()
  n = 5 * images
  call template(t, p, [1], [n], [block], [0])
  call xmpf_ref_templ_alloc_(r, t, 1)
  call xmpf_ref_set_loop_info_(r, 0, 0, 0)
  call xmpf_ref_init_(r)
  lower = 1
  upper = n
  step = 1
  call xmpf_loop_sched_(lower, upper, step, 0, r, 410, 1, 2, 0)
  call expect(lower == merge(0, -1, me == 1), 'expanded below')
  call expect(upper == merge(4, 6, me == images), 'expanded above')
  lower = 1
  upper = n
  call xmpf_loop_sched_(lower, upper, step, 0, r, 411, 0, 2, 1)
  call expect(lower == 5 .and. upper == 6, 'margin')
  lower = 1
  upper = n
  call xmpf_loop_sched_(lower, upper, step, 0, r, 410, -1, -1, 0)
  call expect(lower == 1 .and. upper == 3, 'inside')
  call xmpf_ref_dealloc_(r)
  call xmpf_template_dealloc_(t)
  ! Two nodes have the greatest value; the last one has the greatest location.
  greatest = merge(7, 2, me == images .or. me == 1)
  place = 10 * me
  call xmpf_reduction_loc_(0, place, int4)
  call xmpf_reduction_(greatest, 1, real8, 312, omitted, 1)
  call expect(greatest == 7 .and. place == 10 * images, 'the last maximum')
end subroutine

program loops
  use calls
  implicit none
  integer(8) :: p
  integer :: images, xmp_num_nodes, sizes(8)
  call xmpf_init_all_()
  images = xmp_num_nodes()
  call nodes(p, [-1])
  call every_iteration(p, block, 0)
  call every_iteration(p, block, 53)
  call every_iteration(p, cyclic, 0)
  call every_iteration(p, cyclic, 4)
  call two_dimensions()
  call widened(p)
  sizes = 0
  sizes(images) = 53
  if (images > 1) sizes(1) = 20
  sizes(images) = 53 - sum(sizes(:images - 1))
  call mapping_array(sizes)
  call xmpf_nodes_dealloc_(p)
  call xmp_barrier()
  call xmpf_finalize_all_()
contains
  subroutine mapping_array(sizes)
    integer, intent(in) :: sizes(8)
    integer(8) :: t
    type(mapped) :: a
    integer :: xmp_node_num, xmp_array_gtol, local
    call xmpf_template_alloc_(t, 1, 0)
    call xmpf_template_dim_info_(t, 0, 1, 53, gblock, sizes)
    call xmpf_template_init_(t, p)
    call array(a, t, int4, [1], [53], [1], [1])
    call expect(a%size(1) == merge(sizes(xmp_node_num()) + 2, 0, sizes(xmp_node_num()) > 0), 'gblock')
    call expect(xmp_array_gtol(a%descriptor, 1, 53, local) == 0, 'an inquiry')
    call expect(local == sizes(images), 'the last local index, after the shadow')
    call xmpf_array_dealloc_(a%descriptor)
    call xmpf_template_dealloc_(t)
  end subroutine
end program
