! Procedures on whole arrays: transpose, matmul, sort, pack, unpack, gather, scatter; inquiries.
program procedures
  use calls
  implicit none
  integer(8) :: p, t, u, v, w
  type(mapped) :: x, y, z, line, other, mask, index1
  integer, allocatable :: of_x(:, :), of_y(:, :), of_z(:, :), of_line(:), of_other(:), of_index(:)
  logical, allocatable :: of_mask(:)
  integer, parameter :: n = 20
  integer :: i, j, k, wanted, xmp_nodes_size, xmp_nodes_attr, xmp_dist_format, xmp_dist_blocksize, xmp_array_ubound
  integer :: xmp_template_fixed, xmp_num_nodes, answer, xmp_array_ndims
  call xmpf_init_all_()
  call nodes(p, [-1])
  call template(t, p, [1, 1], [n, n], [collapsed, block], [0, 0])
  call template(u, p, [1, 1], [n, n], [block, collapsed], [0, 0])
  call array(x, t, int4, [1, 1], [n, n], [0, 0], [0, 0])
  call array(y, u, int4, [1, 1], [n, n], [1, 0], [1, 0])
  call array(z, t, int4, [1, 1], [n, n], [0, 0], [0, 0])
  allocate (of_x(1:n, 0:x%size(2) - 1), of_y(0:y%size(1) - 1, 1:n), of_z(1:n, 0:z%size(2) - 1))
  call xmpf_array_set_local_array_(x%descriptor, of_x, 0)
  call xmpf_array_set_local_array_(y%descriptor, of_y, 0)
  call xmpf_array_set_local_array_(z%descriptor, of_z, 0)
  do k = 0, x%size(2) - 1
    of_x(:, k) = [(i - 3 * (k + x%origin(2)), i=1, n)]
  end do
  of_y = 0
  call xmp_transpose(y%descriptor, x%descriptor, 0)
  do k = 1, y%size(1) - 2
    i = k + y%origin(1)
    call expect(all(of_y(k, :) == [(j - 3 * i, j=1, n)]), 'transposed')
  end do
  call xmp_matmul(z%descriptor, x%descriptor, y%descriptor)
  do k = 0, z%size(2) - 1
    j = k + z%origin(2)
    do i = 1, n
      wanted = sum([((i - 3 * answer) * (j - 3 * answer), answer=1, n)])
      call expect(of_z(i, k) == wanted, 'multiplied')
    end do
  end do
  call rows()
  answer = xmp_nodes_size(p, 1, i)
  call expect(i == xmp_num_nodes(), 'xmp_nodes_size')
  answer = xmp_nodes_attr(p, i)
  call expect(answer == 0 .and. i == 2000, 'xmp_nodes_attr')
  answer = xmp_template_fixed(t, i)
  call expect(answer == 0 .and. i == 1, 'xmp_template_fixed')
  answer = xmp_dist_format(w, 1, i)
  call expect(i == 2102, 'xmp_dist_format')
  answer = xmp_dist_blocksize(w, 1, i)
  call expect(i == 2, 'xmp_dist_blocksize')
  answer = xmp_array_ubound(line%descriptor, 1, i)
  call expect(i == n, 'xmp_array_ubound')
  answer = xmp_array_ndims(x%descriptor, i)
  call expect(i == 2, 'xmp_array_ndims')
  call xmp_barrier()
  call xmpf_finalize_all_()
contains
  subroutine rows()
    call template(v, p, [1], [n], [block], [0])
    call template(w, p, [1], [n], [cyclic], [2])
    call array(line, v, int4, [1], [n], [0], [0])
    call array(other, w, int4, [1], [n], [0], [0])
    call array(mask, w, logical4, [1], [n], [0], [0])
    call array(index1, v, int4, [1], [n], [0], [0])
    allocate (of_line(0:line%size(1) - 1), of_other(0:other%size(1) - 1))
    allocate (of_mask(0:mask%size(1) - 1), of_index(0:index1%size(1) - 1))
    call xmpf_array_set_local_array_(line%descriptor, of_line, 0)
    call xmpf_array_set_local_array_(other%descriptor, of_other, 0)
    call xmpf_array_set_local_array_(mask%descriptor, of_mask, 0)
    call xmpf_array_set_local_array_(index1%descriptor, of_index, 0)
    do k = 0, line%size(1) - 1
      i = k + line%origin(1)
      of_line(k) = mod(7 * i, n)
      of_index(k) = n + 1 - i
    end do
    of_other = -1
    call xmp_sort_up(line%descriptor, other%descriptor)
    call each(other, of_other, [(i, i=0, n - 1)], 'sorted')
    call xmp_sort_down(other%descriptor, other%descriptor)
    call each(other, of_other, [(i, i=n - 1, 0, -1)], 'sorted downwards, in place')
    call xmp_gather(other%descriptor, line%descriptor, index1%descriptor)
    call each(other, of_other, [(mod(7 * i, n), i=n, 1, -1)], 'gathered')
    of_other = 0
    call xmp_scatter(other%descriptor, line%descriptor, index1%descriptor)
    call each(other, of_other, [(mod(7 * i, n), i=n, 1, -1)], 'scattered')
    ! What is even of 7 i mod n, in order.
    call xmp_sort_up(line%descriptor, other%descriptor)
    do k = 0, size(of_mask) - 1
      of_mask(k) = mod(of_other(k), 2) == 0
    end do
    of_line = -1
    call xmp_pack(line%descriptor, other%descriptor, mask%descriptor)
    call each(line, of_line, [(2 * i, i=0, n / 2 - 1), (-1, i=1, n / 2)], 'packed')
    of_other = 5
    call xmp_unpack(other%descriptor, line%descriptor, mask%descriptor)
    call each(other, of_other, [(merge(i, 5, mod(i, 2) == 0), i=0, n - 1)], 'unpacked')
  end subroutine

  subroutine each(of, here, wanted, what)
    type(mapped), intent(in) :: of
    integer, intent(in) :: here(0:), wanted(n)
    character(*), intent(in) :: what
    integer(8) :: r, of_template
    integer :: lower, upper, step, xmp_align_template
    lower = xmp_align_template(of%descriptor, of_template)
    lower = 1
    upper = n
    step = 1
    call schedule(r, of_template, 1, 1, lower, upper, step)
    do k = lower, upper, step
      call expect(here(k - of%first(1)) == wanted(global(r, k)), what)
    end do
    call xmpf_ref_dealloc_(r)
  end subroutine
end program
