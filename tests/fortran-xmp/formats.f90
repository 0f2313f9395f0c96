! Loops, references and gmove over all formats, each against a local array.
program formats
  implicit none
  integer, parameter :: n = 50
  integer, allocatable :: sizes(:)
  integer :: cut(n), turn(-4:n - 5), dealt(n), part(n), wide(n, 3), grid(n, n)
  integer :: local(n), table(n, n), i, j, total, before, images
  !$xmp nodes p(*)
  !$xmp nodes q(1, *)
  !$xmp template tb(n)
  !$xmp template tc(n)
  !$xmp template td(n)
  !$xmp template tg(:)
  !$xmp template tt(n, n)
  !$xmp distribute tb(block(n)) onto p
  !$xmp distribute tc(cyclic) onto p
  !$xmp distribute td(cyclic(3)) onto p
  !$xmp distribute tg(gblock(sizes)) onto p
  !$xmp distribute tt(cyclic(2), cyclic) onto q
  integer, allocatable :: own(:)
  !$xmp align cut(i) with tb(i)
  !$xmp align turn(i) with tc(i + 5)
  !$xmp align dealt(i) with td(i)
  !$xmp align wide(i, *) with td(i)
  !$xmp align grid(i, j) with tt(i, j)
  !$xmp align own(i) with tg(i)
  !$xmp template te(n)
  !$xmp distribute te(block) onto p
  !$xmp align part(i) with te(i)

  images = num_images()
  allocate (sizes(images))
  sizes = 0
  sizes(images) = n - 3*(images - 1)
  if (images > 1) sizes(1:images - 1) = 3
  !$xmp template_fix tg(n)
  allocate (own(n))

  !$xmp loop on tb(i)
  do i = 1, n
    cut(i) = i
  end do
  !$xmp loop on tc(i + 5)
  do i = -4, n - 5
    turn(i) = 2*i
  end do
  !$xmp loop on td(i)
  do i = 1, n, 2
    dealt(i) = 3*i
    dealt(i + mod(i, 1)) = dealt(i) + 1
    wide(i, 2) = dealt(i)
  end do
  !$xmp loop on tg(i)
  do i = n, 1, -1
    own(i) = 4*i
  end do
  !$xmp loop (i, j) on tt(i, j)
  do j = 1, n
    do i = 1, j
      grid(i, j) = 100*i + j
    end do
  end do

  ! Downwards, an image executes its iterations in that order.
  call start_down()
  !$xmp loop on tc(i + 5) reduction(+: total)
  do i = n - 6, -3, -1
    call count_down(i, 2*i == turn(i))
  end do
  call require(total == n - 2, 'cyclic, downwards')
  call start_down()
  !$xmp loop on td(i) reduction(+: total)
  do i = n - 1, 3, -1
    call count_down(i, mod(i, 2) == 0 .or. dealt(i) == 3*i + 1)
  end do
  call require(total == n - 3, 'cyclic(3), downwards')
  call start_down()
  !$xmp loop on td(i) reduction(+: total)
  do i = n, 2, -4
    call count_down(i, mod(n - i, 4) == 0)
  end do
  call require(total == 13, 'cyclic(3), downwards by 4')
  call start_down()
  !$xmp loop on td(i) reduction(+: total)
  do i = 1, 2, -1
    call count_down(i, .false.)
  end do
  call require(total == 0, 'cyclic(3), no iterations')

  local = 0
  !$xmp gmove
  local(1:n) = cut(:)
  call require(all(local == [(i, i=1, n)]), 'block(n)')
  !$xmp gmove
  local(:) = turn(-4:n - 5)
  call require(all(local == [(2*i, i=-4, n - 5)]), 'cyclic')
  !$xmp gmove
  local(1:n:2) = dealt(1:n:2)
  call require(all(local(1:n:2) == [(3*i + 1, i=1, n, 2)]), 'cyclic(3)')
  !$xmp gmove
  local(1:n:2) = wide(1:n:2, 2)
  call require(all(local(1:n:2) == [(3*i + 1, i=1, n, 2)]), 'cyclic(3), a column')
  !$xmp gmove
  local = own
  call require(all(local == [(4*i, i=1, n)]), 'gblock')
  !$xmp gmove
  table(:, :) = grid(:, :)
  do j = 1, n
    call require(all(table(:j, j) == [(100*i + j, i=1, j)]), 'cyclic blocks in two dimensions')
  end do

  ! Scalars, values, other distributions.
  !$xmp gmove
  i = turn(7)
  call require(i == 14, 'gmove of an element')
  !$xmp gmove
  part(:) = 3.7
  !$xmp gmove
  part(11:30) = dealt(1:39:2)
  total = 0
  !$xmp loop on te(i) reduction(+: total)
  do i = 1, n
    if (i >= 11 .and. i <= 30) then
      call require(part(i) == 3*(2*(i - 11) + 1) + 1, 'gmove to another distribution')
    else
      call require(part(i) == 3, 'gmove of a value')
    end if
    total = total + 1
  end do
  call require(total == n, 'each iteration once')
  !$xmp gmove
  part(:) = cut(:)

  ! Whole arrays and sections.
  !$xmp array on te
  part = part + 1
  !$xmp array on td
  dealt(:) = wide(:, 2) + 1
  !$xmp gmove
  table(:, 1) = dealt(:)
  call require(all(table(1:n:2, 1) == [(3*i + 2, i=1, n, 2)]), 'array, cyclic')
  !$xmp array on te(5:20)
  part(5:20) = 2*part(5:20) - local(1:16)
  !$xmp gmove
  local(:) = part(:)
  call require(all(local(:4) == [(i + 1, i=1, 4)]), 'array, below')
  call require(all(local(5:20) == [(2*(i + 1) - 4*(i - 4), i=5, 20)]), 'array, a section')
  call require(all(local(21:) == [(i + 1, i=21, n)]), 'array, above')
  ! Sections with bounds, of one index a block and of several, with steps, and of two dimensions.
  local = [(i, i=1, n)]
  !$xmp array on tc
  turn(-2:n - 6) = turn(-2:n - 6) + 10*local(3:n - 1)
  !$xmp gmove
  table(:, 2) = turn(:)
  call require(all(table(3:n - 1, 2) == [(2*(i - 5) + 10*i, i=3, n - 1)]), 'array, a section of cyclic')
  call require(table(2, 2) == -6 .and. table(n, 2) == 2*(n - 5), 'array, beside a section of cyclic')
  !$xmp array on td
  dealt(1:n) = local
  !$xmp array on td
  wide(5:40:3, 2) = 4*dealt(5:40:3)
  !$xmp array on td
  dealt(38:5:-3) = wide(38:5:-3, 2) + local(12:1:-1)
  !$xmp gmove
  table(:, 3) = dealt(:)
  call require(all(table(5:40:3, 3) == [(4*(3*i + 2) + i, i=1, 12)]), 'array, sections of cyclic(3)')
  table(5:40:3, 3) = local(5:40:3)
  call require(all(table(:, 3) == local), 'array, beside sections of cyclic(3)')
  !$xmp array on tt
  grid(2:n, 1:n - 1) = 7
  !$xmp gmove
  table(:, :) = grid(:, :)
  call require(all(table(2:, :n - 1) == 7) .and. table(1, n) == 100 + n, 'array, cyclic in two dimensions')

  ! Single indices of cyclic dimensions.
  !$xmp array on tt
  grid(3, :) = 5
  !$xmp array on tt
  grid(2:n, n - 1) = 9
  !$xmp array on tt
  grid(4, n) = grid(4, n) + 1
  !$xmp array on td
  dealt(7) = wide(7, 2) + 60
  i = 9
  !$xmp array on tc
  turn(i - 5) = 8
  !$xmp gmove
  table(:, :) = grid(:, :)
  call require(all(table(3, :n - 2) == 5) .and. table(3, n) == 5, 'array, a row of cyclic(2)')
  call require(all(table(2:, n - 1) == 9) .and. table(4, n) == 100*4 + n + 1, 'array, a column of cyclic')
  !$xmp gmove
  table(:, 1) = dealt(:)
  !$xmp gmove
  table(:, 2) = turn(:)
  !$xmp gmove
  table(:, 3) = wide(:, 2)
  call require(table(7, 1) == table(7, 3) + 60 .and. table(i, 2) == 8, 'array, elements of cyclic')

  total = 0
  !$xmp loop on tt(:, j) reduction(+: total)
  do j = 1, n
    total = total + 1
  end do
  call require(total == n, 'one dimension of two')
  deallocate (own)

contains

  subroutine start_down()
    total = 0
    before = n + 1
  end subroutine

  subroutine count_down(i, is_so)
    integer, intent(in) :: i
    logical, intent(in) :: is_so
    call require(is_so .and. i < before, 'an iteration of a loop downwards')
    before = i
    total = total + 1
  end subroutine

  subroutine require(is_so, what)
    logical, intent(in) :: is_so
    character(*), intent(in) :: what
    if (is_so) return
    print '(a,i0,2a)', 'image ', this_image(), ': not so: ', what
    error stop 1
  end subroutine
end program
