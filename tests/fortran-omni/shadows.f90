! reflect, with widths, periodic and asynchronous; reduce_shadow.
program shadows
  use calls
  implicit none
  integer(8) :: p, t, r
  type(mapped) :: a
  integer, allocatable :: here(:, :)
  integer :: images, me, xmp_num_nodes, xmp_node_num, n, i, j, k, lower, upper, step, before, after
  call xmpf_init_all_()
  images = xmp_num_nodes()
  me = xmp_node_num()
  n = 3 * images
  call nodes(p, [-1])
  call template(t, p, [1, 1], [4, n], [collapsed, block], [0, 0])
  call array(a, t, int4, [1, 1], [4, n], [0, 2], [0, 1])
  call expect(a%size(2) == 6, 'elements and shadow')
  allocate (here(1:a%size(1), 0:a%size(2) - 1))
  call xmpf_array_set_local_array_(a%descriptor, here, 0)
  call fill()
  call xmpf_reflect_(a%descriptor)
  before = 3 * (me - 1)
  if (me > 1) call expect(all(here(:, 1) == [(10 * i + before, i=1, 4)]), 'the element before')
  if (me > 1) call expect(all(here(:, 0) == [(10 * i + before - 1, i=1, 4)]), 'the one before that')
  after = 3 * me + 1
  if (me < images) call expect(all(here(:, 5) == [(10 * i + after, i=1, 4)]), 'the element after')
  if (me == 1) call expect(all(here(:, :1) == -1), 'nothing before the first')
  ! One element, around the array, in the background.
  call fill()
  call xmpf_set_reflect_(a%descriptor, 1, 1, 1, 1)
  call xmpf_init_async_(5)
  call xmpf_reflect_async_(a%descriptor, 5)
  call xmpf_start_async_()
  call xmpf_wait_async_(5, omitted)
  if (me == 1) call expect(all(here(:, 1) == [(10 * i + n, i=1, 4)]), 'around')
  if (me == images) call expect(all(here(:, 5) == [(10 * i + 1, i=1, 4)]), 'around, too')
  call expect(all(here(:, 0) == -1), 'no wider than asked')
  ! Nothing has this id.
  call xmpf_wait_async_(99, omitted)
  ! The way back: everything in the shadow is added to what it is a copy of.
  call fill()
  here(:, 5) = 1000
  here(:, :1) = 0
  call xmpf_reduce_shadow_(a%descriptor)
  call expect(all(here(:, 2) == [(10 * i + before + 1 + merge(1000, 0, me > 1), i=1, 4)]), 'added')
  call expect(all(here(:, 3) == [(10 * i + before + 2, i=1, 4)]), 'not added')
  call full()
  call xmpf_array_dealloc_(a%descriptor)
  call xmpf_template_dealloc_(t)
  call xmpf_nodes_dealloc_(p)
  call xmp_barrier()
  call xmpf_finalize_all_()
contains
  subroutine fill()
    here = -1
    lower = 1
    upper = n
    step = 1
    call schedule(r, t, 2, 2, lower, upper, step)
    do k = lower, upper, step
      j = global(r, k)
      do i = 1, 4
        here(i, k + 2 - a%first(2)) = 10 * i + j
      end do
    end do
    call xmpf_ref_dealloc_(r)
  end subroutine

  ! A shadow that is the whole array.
  subroutine full()
    type(mapped) :: b
    integer(8) :: u
    integer, allocatable :: all_of_it(:)
    call template(u, p, [1], [n], [cyclic], [2])
    call array(b, u, int4, [1], [n], [-1], [-1])
    call expect(b%size(1) == n .and. b%origin(1) == 1, 'all of it')
    allocate (all_of_it(0:b%size(1) - 1))
    call xmpf_array_set_local_array_(b%descriptor, all_of_it, 0)
    all_of_it = 0
    do i = 1, n
      if (mod((i - 1) / 2, images) == me - 1) all_of_it(i - b%origin(1)) = i
    end do
    call xmpf_reflect_(b%descriptor)
    call expect(all(all_of_it == [(i, i=1, n)]), 'a full shadow')
    call xmpf_array_dealloc_(b%descriptor)
    call xmpf_template_dealloc_(u)
  end subroutine
end program
