! Margins of loops around and inside of each part, and loops that are peeled.
program margins
  implicit none
  integer, parameter :: rows = 26, columns = 24
  integer :: counts(rows, columns), values(rows, columns), striped(rows, columns)
  integer :: inner, all, wrong, below, meeting, beside, inside, expected
  integer :: nodes, width, owners, owner, from, to, i, j, step, xmp_num_nodes
  !$xmp nodes p(1, *)
  !$xmp nodes q(*)
  !$xmp template t(rows, columns)
  !$xmp template s(rows, columns)
  !$xmp distribute t(block, block) onto p
  !$xmp distribute s(cyclic(3), *) onto q
  !$xmp align (i, j) with t(i, j) :: counts, values
  !$xmp align striped(i, j) with s(i, j)
  !$xmp shadow counts(2, 2)
  !$xmp shadow values(1, 1)

  nodes = xmp_num_nodes()
  width = (columns + nodes - 1)/nodes
  owners = (columns + width - 1)/width

  ! What is inside by one and the margin of one are all iterations, each once.
  inner = 0
  all = 0
  wrong = 0
  !$xmp loop (i, j) on t(i, j)
  do j = 1, columns
    do i = 1, rows
      counts(i, j) = 0
    end do
  end do
  !$xmp loop (i, j) on t(i, j) expand(-1, -1) reduction(+:inner)
  do j = 1, columns
    do i = 1, rows
      counts(i, j) = counts(i, j) + 1
      inner = inner + 1
    end do
  end do
  !$xmp loop (i, j) on t(i, j) margin(-1, -1) reduction(+:all)
  do j = 1, columns
    do i = 1, rows
      counts(i, j) = counts(i, j) + 1
      all = all + 1
    end do
  end do
  !$xmp loop (i, j) on t(i, j) reduction(+:wrong)
  do j = 1, columns
    do i = 1, rows
      if (counts(i, j) /= 1) wrong = wrong + 1
    end do
  end do
  call check(wrong == 0 .and. inner + all == rows*columns, 'inside and margin')

  ! One side only, and widths of which those of both sides meet.
  below = 0
  meeting = 0
  !$xmp loop (i, j) on t(i, j) margin(0, -1:0) reduction(+:below)
  do 10 j = 1, columns
    do 10 i = 1, rows
10    below = below + 1
  !$xmp loop (i, j) on t(i, j) margin(-20, -20) reduction(+:meeting)
  do j = 1, columns
    do i = 1, rows
      meeting = meeting + 1
    end do
  end do
  call check(below == owners*rows, 'one side')
  call check(meeting == rows*columns, 'sides that meet')

  ! The margin around each part, beyond the bounds of the loop, too.
  beside = 0
  inside = 0
  !$xmp loop (i, j) on t(i, j) margin(/unbound/1, /unbound/1:2) reduction(+:beside)
  do j = 1, columns
    do i = 1, rows
      beside = beside + 1
    end do
  end do
  !$xmp loop (i, j) on t(i, j) margin(1, 1:2) reduction(+:inside)
  do j = 1, columns
    do i = 1, rows
      inside = inside + 1
    end do
  end do
  call check(beside == owners*3*(rows + 2) + columns*2, 'around')
  expected = 0
  do owner = 0, owners - 1
    from = owner*width + 1
    to = min(from + width - 1, columns)
    if (from > 1) expected = expected + rows
    if (to < columns) expected = expected + rows
    if (to + 1 < columns) expected = expected + rows
  end do
  call check(inside == expected, 'around within the loop')

  ! What is inside is executed before the shadow is there, the rest after it.
  wrong = 0
  !$xmp loop (i, j) on t(i, j)
  do j = 1, columns
    do i = 1, rows
      values(i, j) = 100*j + i
      counts(i, j) = -1
    end do
  end do
  !$xmp reflect (values) width(/periodic/1, /periodic/1) async(7)
  !$xmp loop (i, j) on t(i, j) peel_and_wait(7, -1, -1)
  do j = 1, columns
    do i = 1, rows
      counts(i, j) = values(i, j - 1) + values(i, j + 1) + values(i - 1, j) + values(i + 1, j)
    end do
  end do
  !$xmp loop (i, j) on t(i, j) reduction(+:wrong)
  do j = 1, columns
    do i = 1, rows
      expected = 100*(modulo(j - 2, columns) + 1 + modulo(j, columns) + 1 + 2*j) &
        + modulo(i - 2, rows) + 1 + modulo(i, rows) + 1 + 2*i
      if (counts(i, j) /= expected) wrong = wrong + 1
    end do
  end do
  call check(wrong == 0, 'peeled')

  ! A margin of columns beside rows that are dealt out.
  wrong = 0
  !$xmp loop (i, j) on s(i, j)
  do j = 1, columns
    do i = 1, rows
      striped(i, j) = 0
    end do
  end do
  !$xmp loop (i, j) on s(i, j) margin(0, -2:-1)
  do j = 1, columns
    do i = 1, rows
      striped(i, j) = striped(i, j) + 1
    end do
  end do
  !$xmp loop (i, j) on s(i, j) reduction(+:wrong)
  do j = 1, columns
    do i = 1, rows
      if ((striped(i, j) == 1) .neqv. (j <= 2 .or. j == columns)) wrong = wrong + 1
    end do
  end do
  call check(wrong == 0, 'beside stripes')

  ! Steps that are computed: the same iterations as with a constant one.
  do step = -3, 3, 6
    inner = 0
    all = 0
    !$xmp loop (j) on t(*, j) expand(0, 1) reduction(+:inner)
    do j = merge(2, columns - 1, step > 0), merge(columns - 1, 2, step > 0), step
      inner = inner + j
    end do
    !$xmp loop (j) on t(*, j) margin(0, -2:1) reduction(+:all)
    do j = merge(2, columns - 1, step > 0), merge(columns - 1, 2, step > 0), step
      all = all + j
    end do
    beside = 0
    inside = 0
    if (step > 0) then
      !$xmp loop (j) on t(*, j) expand(0, 1) reduction(+:beside)
      do j = 2, columns - 1, 3
        beside = beside + j
      end do
      !$xmp loop (j) on t(*, j) margin(0, -2:1) reduction(+:inside)
      do j = 2, columns - 1, 3
        inside = inside + j
      end do
    else
      !$xmp loop (j) on t(*, j) expand(0, 1) reduction(+:beside)
      do j = columns - 1, 2, -3
        beside = beside + j
      end do
      !$xmp loop (j) on t(*, j) margin(0, -2:1) reduction(+:inside)
      do j = columns - 1, 2, -3
        inside = inside + j
      end do
    end if
    call check(inner == beside .and. all == inside .and. inner > 0, 'computed steps')
  end do

contains

  subroutine check(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (right) return
    print '(2a)', 'wrong: ', what
    error stop
  end subroutine
end program
