! Two tasks at a time, each with its half of the nodes: arrays of its own nodes with periodic shadows, and files of its own.
program halves
  implicit none
  integer, parameter :: n = 30
  integer :: half, rest, nodes, id
  character(200) :: folder, low, high
  !$xmp nodes p(*)
  nodes = num_images()
  half = (nodes + 1)/2
  ! One node has both halves.
  rest = max(nodes - half, 1)
  id = getpid()
  !$xmp bcast (id)
  call get_environment_variable('TMPDIR', folder)
  if (folder == ' ') folder = '/tmp'
  write (low, '(2a, i0, a)') trim(folder), '/fortran-halves-', id, '-low'
  write (high, '(2a, i0, a)') trim(folder), '/fortran-halves-', id, '-high'
  !$xmp tasks
  !$xmp task on p(1:half)
  call work(1, low)
  !$xmp end task
  !$xmp task on p(nodes - rest + 1:nodes)
  call work(100, high)
  !$xmp end task
  !$xmp end tasks
  !$xmp barrier
  if (this_image() == 1) then
    call compare(1, low)
    call compare(100, high)
  end if
contains
  ! The value after an index, as if the array went on at both ends.
  pure integer function around(i, factor)
    integer, intent(in) :: i, factor
    around = factor*modulo(i, n)
  end function

  subroutine work(factor, name)
    integer, intent(in) :: factor
    character(*), intent(in) :: name
    integer, allocatable :: sizes(:), a(:)
    integer :: c(0:n - 1)
    integer :: i, k, here, first, last, total, unit, xmp_node_num, xmp_num_nodes
    !$xmp nodes own(*) = *
    !$xmp template u(:)
    !$xmp template v(0:n - 1)
    !$xmp distribute u(gblock(*)) onto own
    !$xmp distribute v(cyclic(2)) onto own
    !$xmp align a(i) with u(i)
    !$xmp align c(i) with v(i)
    !$xmp shadow a(2:1)
    here = xmp_node_num()
    sizes = [(k + 1, k = 1, xmp_num_nodes())]
    sizes(size(sizes)) = n - sum(sizes(:size(sizes) - 1))
    !$xmp template_fix(gblock(sizes)) u(0:n - 1)
    allocate (a(0:n - 1))
    first = sum(sizes(:here - 1))
    last = first + sizes(here) - 1
    !$xmp loop on u(i)
    do i = 0, n - 1
      a(i) = around(i, factor)
    end do
    !$xmp reflect (a) width(/periodic/2:1)
    do i = first - 2, last + 1
      if (a(i) /= around(i, factor)) error stop 'a periodic shadow'
    end do
    a(first:last) = a(first:last) + 1
    !$xmp reflect (a) width(/periodic/1:0)
    do i = first - 1, last
      if (a(i) /= around(i, factor) + 1) error stop 'a part of the shadow'
    end do
    if (a(first - 2) /= around(first - 2, factor) .or. a(last + 1) /= around(last + 1, factor)) &
      error stop 'what is not reflected'
    total = 0
    !$xmp loop on u(i) reduction(+: total)
    do i = 0, n - 1
      total = total + a(i)
    end do
    if (total /= factor*n*(n - 1)/2 + n) error stop 'a sum of the half'
    !$xmp gmove
    c(:) = a(:)
    !$xmp master_io begin
    open (newunit=unit, file=name, form='unformatted', action='readwrite')
    write (unit) c
    !$xmp end master_io
    !$xmp loop on v(i)
    do i = 0, n - 1
      c(i) = 0
    end do
    !$xmp master_io begin
    rewind (unit)
    read (unit) c
    close (unit)
    !$xmp end master_io
    !$xmp loop on v(i)
    do i = 0, n - 1
      if (c(i) /= around(i, factor) + 1) error stop 'what was read'
    end do
  end subroutine

  subroutine compare(factor, name)
    integer, intent(in) :: factor
    character(*), intent(in) :: name
    integer :: i, found(0:n - 1), unit
    open (newunit=unit, file=name, form='unformatted', action='read')
    read (unit) found
    close (unit, status='delete')
    if (any(found /= [(around(i, factor) + 1, i = 0, n - 1)])) error stop 'a file of a task'
  end subroutine
end program
