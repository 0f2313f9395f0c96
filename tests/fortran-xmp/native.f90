! A program that calls the functions of xmprt_global.h by the module of that name: a halo, a reduction, an assignment, a task.
program native
  use, intrinsic :: iso_c_binding
  use xmprt_global
  implicit none
  integer(c_int64_t), parameter :: n = 40
  type(xmprt_nodes) :: nodes
  type(xmprt_template) :: line
  type(xmprt_array) :: u, v
  type(xmprt_piece) :: mine(1)
  type(xmprt_range) :: all(1)
  type(xmprt_halo) :: halo(1)
  type(c_ptr) :: start
  integer(c_int64_t) :: extents(1), k
  integer(c_size_t) :: pieces
  integer(c_int) :: executes
  real(c_double), pointer :: part(:), other(:)
  real(c_double), target :: total
  call ok(xmprt_nodes_create(0, 1, [0], nodes))
  call ok(xmprt_template_create(1, [xmprt_extent(0, n)], line))
  call ok(xmprt_template_distribute(line, [xmprt_format(XMPRT_BLOCK, 0, c_null_ptr)], nodes))
  call ok(xmprt_array_create(line, 8_c_size_t, 1, [xmprt_dimension(xmprt_extent(0, n), 0, 0, 1, 1)], u))
  call ok(xmprt_array_create(line, 8_c_size_t, 1, [xmprt_dimension(xmprt_extent(0, n), 0, 0, 0, 0)], v))
  all = xmprt_range(0, XMPRT_WHOLE, 1)
  call ok(xmprt_loop(u, 0, all(1), mine, 1_c_size_t, pieces))
  if (pieces == 0) mine(1)%count = 0
  call ok(xmprt_array_stored(u, start, extents))
  call c_f_pointer(start, part, extents)
  do k = 0, mine(1)%count - 1
    part(mine(1)%place + k + 1) = mine(1)%index + k
  end do
  halo = xmprt_halo(1, 1, 1)
  call ok(xmprt_reflect(u, halo, 0))
  total = 0
  do k = 0, mine(1)%count - 1
    total = total + part(mine(1)%place + k) + part(mine(1)%place + k + 2)
  end do
  call ok(xmprt_reduce(c_loc(total), 1_c_size_t, XMPRT_DOUBLE, XMPRT_SUM, xmprt_object(0)))
  if (total /= n*(n - 1)) error stop 'a periodic halo'
  call ok(xmprt_gmove(v, [xmprt_range(n - 1, n, -1)], u, all, XMPRT_COLLECTIVE))
  call ok(xmprt_loop(v, 0, all(1), mine, 1_c_size_t, pieces))
  if (pieces == 0) mine(1)%count = 0
  call ok(xmprt_array_stored(v, start, extents))
  call c_f_pointer(start, other, extents)
  do k = 0, mine(1)%count - 1
    if (other(mine(1)%place + k + 1) /= n - 1 - mine(1)%index - k) error stop 'an assignment'
  end do
  call ok(xmprt_task_begin(xmprt_object(nodes%id), [xmprt_range(0, 1, 0)], executes))
  if (executes /= 0) call ok(xmprt_task_end())
  call ok(xmprt_barrier(xmprt_object(nodes%id)))
contains
  subroutine ok(status)
    integer(c_int), intent(in) :: status
    if (status /= XMPRT_OK) error stop 'an error'
  end subroutine
end program
