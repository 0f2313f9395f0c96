! task, with and without communication; bcast, reduction and barrier on references; nodes that are a part of others.
program tasks
  use calls
  implicit none
  integer(8) :: p, q, t, r, s, n, m
  integer :: images, me, half, number, i, xmp_num_nodes, xmp_node_num, xmp_all_node_num, xmp_nodes_equiv
  integer :: lower(1), upper(1), step(1)
  logical :: xmpf_test_task_on_nodes_, xmpf_test_task_nocomm_
  call xmpf_init_all_()
  images = xmp_num_nodes()
  me = xmp_node_num()
  half = (images + 1) / 2
  call nodes(p, [-1])

  ! task on p(1:half), in it task on p(1)
  call on_nodes(r, p, [1], [half], [1])
  call xmpf_create_task_nodes_(n, r)
  if (xmpf_test_task_on_nodes_(n)) then
    call expect(me <= half, 'who takes part')
    call expect(xmp_num_nodes() == half .and. xmp_node_num() == me, 'numbers in a task')
    call expect(total(1) == half, 'a reduction in a task')
    call on_nodes(s, p, [half], [0], [0])
    call xmpf_create_task_nodes_(m, s)
    if (xmpf_test_task_on_nodes_(m)) then
      call expect(xmp_num_nodes() == 1 .and. xmp_node_num() == 1, 'numbers in a nested task')
      call expect(xmp_all_node_num() == half, 'who it is')
      call xmpf_end_task_()
    end if
    call xmpf_nodes_dealloc_(m)
    call xmpf_ref_dealloc_(s)
    call xmpf_barrier_(omitted)
    call xmpf_end_task_()
  else
    call expect(me > half, 'who does not')
  end if
  call xmpf_nodes_dealloc_(n)
  call xmpf_ref_dealloc_(r)
  call expect(xmp_num_nodes() == images, 'after the task')

  ! Every second one, without communication.
  call on_nodes(r, p, [1], [images], [2])
  call expect(xmpf_test_task_nocomm_(r) .eqv. mod(me, 2) == 1, 'nocomm')
  number = me
  call xmpf_reduction_(number, 1, int4, 308, r, 0)
  call expect(number == merge(images - mod(images + 1, 2), me, mod(me, 2) == 1), 'a reduction on some')
  call xmpf_barrier_(r)
  call xmpf_ref_dealloc_(r)

  ! bcast from the last node; on the first half, from its last.
  number = me
  call on_nodes(r, p, [images], [0], [0])
  call xmpf_bcast_(number, 1, int4, r, omitted)
  call xmpf_ref_dealloc_(r)
  call expect(number == images, 'bcast from')
  number = me
  call on_nodes(r, p, [half], [0], [0])
  call on_nodes(s, p, [1], [half], [1])
  call xmpf_bcast_(number, 1, int4, r, s)
  call xmpf_ref_dealloc_(r)
  call xmpf_ref_dealloc_(s)
  call expect(number == merge(half, me, me <= half), 'bcast on')

  ! nodes q(half) = p(1:half), a template on it.
  call on_nodes(r, p, [1], [half], [1])
  call nodes_sizes(q, [half])
  call xmpf_nodes_init_nodes_(q, r)
  call xmpf_ref_dealloc_(r)
  i = xmp_nodes_equiv(q, n, lower, upper, step)
  call expect(i == 0 .and. n == p .and. upper(1) == half, 'what nodes are a part of')
  call template(t, q, [1], [10 * half], [block], [0])
  ! task on t(1:10): the first node.
  call xmpf_ref_templ_alloc_(r, t, 1)
  call xmpf_ref_set_dim_info_(r, 0, 2, 1, 10, 1)
  call xmpf_ref_init_(r)
  call xmpf_create_task_nodes_(n, r)
  if (xmpf_test_task_on_nodes_(n)) then
    call expect(me == 1 .and. xmp_num_nodes() == 1, 'who has the first ten')
    call xmpf_end_task_()
  else
    call expect(me > 1, 'who has not')
  end if
  call xmpf_nodes_dealloc_(n)
  call xmpf_ref_dealloc_(r)
  call xmpf_template_dealloc_(t)
  call xmpf_nodes_dealloc_(q)
  call grid()
  call posts()
  ! Often, as in a loop over time.
  do i = 1, 200
    call on_nodes(r, p, [1 + mod(i, images)], [0], [0])
    call xmpf_create_task_nodes_(n, r)
    if (xmpf_test_task_on_nodes_(n)) call xmpf_end_task_()
    call xmpf_nodes_dealloc_(n)
    call xmpf_ref_dealloc_(r)
  end do
  call xmpf_nodes_dealloc_(p)
  call xmp_barrier()
  call xmpf_finalize_all_()
contains
  ! A post to each of the others, and an answer; each way to wait.
  subroutine posts()
    integer(8) :: other
    if (me == 1) then
      do i = 2, images
        call xmp_post(p, i, 3)
      end do
      do i = 2, images
        call xmp_wait(p, i, 9)
      end do
    else
      select case (mod(me, 3))
      case (0)
        call xmp_wait_any()
      case (1)
        call xmp_wait_node(p, 1)
      case (2)
        call xmp_wait(p, 1, 3)
      end select
      call xmp_post(p, 1, 9)
    end if
    call xmp_barrier()
    ! Nodes of another array: the last is the first.
    call on_nodes(r, p, [images], [0], [0])
    call nodes_sizes(other, [1])
    call xmpf_nodes_init_nodes_(other, r)
    call xmpf_ref_dealloc_(r)
    call xmp_post(other, 1, me)
    if (me == images) then
      do i = 1, images
        call xmp_wait(p, i, i)
      end do
    end if
    call xmpf_nodes_dealloc_(other)
  end subroutine

  ! Lines of a grid: `*` is another set on each node.
  subroutine grid()
    integer(8) :: g
    integer :: columns, row, col, sizes, coordinate
    columns = merge(2, 1, mod(images, 2) == 0)
    call nodes(g, [columns, -1])
    call xmpf_nodes_get_dim_info_(g, 0, sizes, coordinate)
    call expect(sizes == columns, 'columns of the grid')
    col = mod(me - 1, columns) + 1
    row = (me - 1) / columns + 1
    call expect(coordinate == col - 1, 'coordinates count from 0 here')
    ! The sum over each column of the grid.
    call on_nodes(r, g, [0, 1], [0, images / columns], [0, 1])
    number = me
    call xmpf_reduction_(number, 1, int4, 300, r, 0)
    call expect(number == sum([(i, i=col, images, columns)]), 'a sum over lines')
    call xmpf_ref_dealloc_(r)
    ! From the second row of each column, if there is one.
    call on_nodes(r, g, [0, min(2, images / columns)], [0, 0], [0, 0])
    number = me
    call xmpf_bcast_(number, 1, int4, r, omitted)
    call expect(number == col + columns * (min(2, images / columns) - 1), 'bcast along lines')
    call xmpf_ref_dealloc_(r)
    call xmpf_nodes_dealloc_(g)
  end subroutine
end program
