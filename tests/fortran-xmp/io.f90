! Parallel I/O: files of master_io and global_io are compared byte by byte with those of a serial program.
module io_support
  implicit none
  character(len=200) :: name
  integer :: me, nodes_all
contains
  subroutine require(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    if (condition) return
    write(0, '(a,i0,3a)') 'node ', me, ': not so: ', what
    error stop 1
  end subroutine

  ! Node 1 compares the files, and removes that of the serial program.
  subroutine compare(what)
    character(len=*), intent(in) :: what
    character(len=1), allocatable :: a(:), b(:)
    integer :: one, other
    if (me /= 1) return
    inquire(file=trim(name), size=one)
    inquire(file=trim(name)//'s', size=other)
    call require(one == other, what//': size')
    allocate(a(one), b(one))
    open(71, file=trim(name), access='stream', form='unformatted')
    open(72, file=trim(name)//'s', access='stream', form='unformatted')
    read(71) a
    read(72) b
    close(71)
    close(72, status='delete')
    call require(all_equal(a, b), what//': bytes')
  end subroutine

  logical function all_equal(a, b)
    character(len=1), intent(in) :: a(:), b(:)
    integer :: i
    all_equal = .true.
    do i = 1, size(a)
      if (a(i) /= b(i)) all_equal = .false.
    end do
  end function
end module

program io
  use io_support
  implicit none
  integer, parameter :: n1 = 10, n2 = 7, len_c = 53
  !$xmp nodes p(*)
  !$xmp nodes q(1, *)
  !$xmp template t(n1, 0:n2-1)
  !$xmp distribute t(block, cyclic) onto q
  !$xmp template u(len_c)
  !$xmp distribute u(cyclic(3)) onto p
  !$xmp template v(len_c)
  !$xmp distribute v(block) onto p
  real(8) :: a(n1, 0:n2-1)
  !$xmp align a(i, j) with t(i, j)
  !$xmp shadow a(1, 0)
  type box
    integer :: values(len_c)
  end type
  type(box) :: kept
  !$xmp align box%values(i) with v(i)
  integer :: c(len_c), d(len_c)
  !$xmp align c(i) with u(i)
  !$xmp align d(i) with v(i)
  !$xmp shadow d(2)
  integer :: xmp_node_num, xmp_num_nodes, getpid
  integer :: i, j, k, ios, local(4), found(4), records, whole_c(len_c), new
  real(8) :: whole_a(n1, 0:n2-1), x
  character(len=80) :: line
  logical :: there
  integer, allocatable :: seen(:)
  namelist /settings/ k, x

  me = xmp_node_num()
  nodes_all = xmp_num_nodes()
  if (me == 1) then
    call get_environment_variable('TMPDIR', name)
    if (name == ' ') name = '/tmp'
    write(name, '(a,a,i0)') trim(name), '/xmp-io-f-', getpid()
  end if
  !$xmp bcast (name)
  do j = 0, n2 - 1
    do i = 1, n1
      whole_a(i, j) = 1.25d0 * i + 100 * j
    end do
  end do
  do i = 1, len_c
    whole_c(i) = 7 * i - 3
  end do
  !$xmp loop (i, j) on t(i, j)
  do j = 0, n2 - 1
    do i = 1, n1
      a(i, j) = 1.25d0 * i + 100 * j
    end do
  end do
  !$xmp loop (i) on u(i)
  do i = 1, len_c
    c(i) = 7 * i - 3
  end do
  !$xmp loop (i) on v(i)
  do i = 1, len_c
    kept%values(i) = -i
  end do
  local = [3, 1, 4, 1]
  k = 5
  x = 2.5d0

  ! Formatted.
  if (me == 1) then
    open(70, file=trim(name)//'s', status='replace')
    write(70, '(5f12.3)') whole_a
    write(70, *) 'c', whole_c, local(2), whole_c(11)
    write(70, '(3i6)') (local(i), i = 1, 3)
    write(70, nml=settings)
    close(70)
  end if
  !$xmp master_io
  open(70, file=trim(name), status='replace')
  !$xmp master_io begin
  write(70, '(5f12.3)') a
  write(70, *) 'c', c, local(2), c(11)
  write(70, '(3i6)') (local(i), i = 1, 3)
  write(70, nml=settings)
  close(70)
  !$xmp end master_io
  call compare('formatted')

  ! Back: arrays, an element, local variables, a namelist.
  call clear
  !$xmp master_io begin
  open(70, file=trim(name), status='old', action='read')
  read(70, '(5f12.3)') a
  read(70, *) line, d, local(2), d(3)
  read(70, *) (found(i), i = 1, 3)
  read(70, nml=settings)
  rewind 70
  read(70, '(a)') line
  inquire(unit=70, opened=there, recl=records)
  close(70)
  !$xmp master_io end
  call require(a_right() .and. d_right(whole_c(11)), 'arrays that were read')
  call require(all(found(1:3) == local(1:3)) .and. local(2) == 1, 'local variables')
  call require(k == 5 .and. x == 2.5d0, 'a namelist')
  call require(there .and. records > 0 .and. index(line, '1.250') > 0, 'a line and an inquiry')

  ! Unformatted records and streams.
  if (me == 1) then
    open(70, file=trim(name)//'s', status='replace', form='unformatted')
    write(70) whole_a, x
    write(70) whole_c, [(-i, i = 1, len_c)]
    close(70)
  end if
  !$xmp master_io begin
  open(newunit=new, file=trim(name), status='replace', form='unformatted')
  write(new) a, x
  write(new) c, kept%values
  rewind(new)
  read(new)
  read(new) d
  close(new)
  !$xmp end master_io
  call compare('unformatted')
  call require(new /= 0 .and. d_right(whole_c(3)), 'records')

  ! Conditions are those of all nodes.
  !$xmp master_io
  open(70, file='/nowhere/file', status='old', iostat=ios)
  call require(ios > 0, 'iostat of open')
  !$xmp master_io begin
  open(70, file=trim(name), status='replace')
  write(70, '(a)') 'one'
  rewind(70)
  read(70, *, end=10) line
  read(70, *, end=10) line
  !$xmp end master_io
  call require(.false., 'the end was not found')
10 line = ' '
  !$xmp master_io begin
  rewind(70)
  read(70, '(a)', advance='no', eor=20, size=k) line(1:10)
  !$xmp end master_io
  call require(.false., 'the end of the record was not found')
20 call require(k == 3 .and. line == 'one', 'size')
  !$xmp master_io begin
  read(70, *, iostat=ios) k
  close(70)
  !$xmp end master_io
  call require(ios < 0, 'iostat at the end')

  ! global_io: the bytes of a serial stream.
  if (me == 1) then
    open(70, file=trim(name)//'s', status='replace', access='stream', form='unformatted')
    write(70) local, whole_a, x
    write(70) whole_c, [(-i, i = 1, len_c)]
    close(70)
  end if
  !$xmp global_io begin
  open(70, file=trim(name), status='replace', form='unformatted')
  write(70) local, a, x
  write(70, iostat=ios) c, kept % values
  close(70)
  !$xmp end global_io
  call require(ios == 0, 'iostat of a collective write')
  call compare('collective')
  call clear
  found = 0
  x = 0
  !$xmp global_io begin
  open(unit=70, file=name, status='old', form='unformatted', action='read')
  read(70) found, a, x
  !$xmp end global_io
  !$xmp global_io
  read(70) d, kept%values
  !$xmp file_sync_all(unit=70)
  !$xmp global_io
  read(70, iostat=ios) d
  call require(ios == -1, 'the end of a collective file')
  !$xmp global_io
  close(70)
  call require(a_right() .and. d_right(whole_c(3)), 'arrays of a collective read')
  call require(all(found == local) .and. x == 2.5d0, 'variables of a collective read')
  !$xmp global_io
  open(70, file='/nowhere/file', form='unformatted', iostat=ios)
  call require(ios == 2, 'iostat of a collective open')
  !$xmp global_io
  open(70, file=name, form='unformatted', status='new', iostat=ios)
  call require(ios == 17, 'iostat of a new file')

  ! Records in any order.
  !$xmp global_io atomic
  open(70, file=name, status='replace', form='unformatted')
  do i = 1, 10
    found = [me, i, -me, 7]
    !$xmp global_io atomic
    write(70) found, i
  end do
  !$xmp file_sync_all(70)
  !$xmp global_io atomic begin
  close(70)
  open(70, file=name, status='old', form='unformatted')
  !$xmp end global_io
  allocate(seen(0:10*nodes_all))
  seen = 0
  do
    !$xmp global_io atomic
    read(70, iostat=ios) found, k
    if (ios /= 0) exit
    call require(found(3) == -found(1) .and. found(4) == 7 .and. found(2) == k, 'a record')
    seen(10*(found(1) - 1) + k) = seen(10*(found(1) - 1) + k) + 1
  end do
  call require(ios == -1, 'the end of an atomic file')
  !$xmp reduction(+: seen)
  call require(all_ones(), 'each record once')
  !$xmp global_io atomic
  close(70, status='keep')

  ! Records by number; the rest of a record is zeros.
  if (me == 1) then
    open(70, file=trim(name)//'s', status='replace', access='direct', recl=24, form='unformatted')
    do i = 1, nodes_all
      write(70, rec=2*i) [i, i + 1, 0, -i]
      write(70, rec=2*i - 1) 1.5d0*i
    end do
    close(70)
  end if
  !$xmp global_io direct
  open(70, file=name, status='replace', access='direct', recl=24)
  found = [me, me + 1, 0, -me]
  x = 1.5d0*me
  !$xmp global_io direct begin
  write(70, rec=2*me) found
  write(70, rec=2*me - 1) x
  !$xmp end global_io
  !$xmp file_sync_all(70)
  call compare('direct')
  k = mod(me, nodes_all) + 1
  !$xmp global_io direct
  read(70, rec=2*k, iostat=ios) found
  call require(ios == 0 .and. found(1) == k .and. found(4) == -k, 'a direct read')
  !$xmp global_io direct
  read(70, rec=2*nodes_all + 1, iostat=ios) found
  call require(ios == -1, 'a record that is not there')
  !$xmp global_io direct
  write(70, rec=1, iostat=ios) whole_a
  call require(ios > 0, 'too much for a record')
  !$xmp global_io direct
  close(70, status='delete')
  inquire(file=trim(name), exist=there)
  call require(.not. there, 'a deleted file')

contains

  subroutine clear
    integer :: i, j
    !$xmp loop (i, j) on t(i, j)
    do j = 0, n2 - 1
      do i = 1, n1
        a(i, j) = -1
      end do
    end do
    !$xmp loop (i) on v(i)
    do i = 1, len_c
      d(i) = -1
    end do
  end subroutine

  ! Whether d is what c was, but for its third element.
  logical function d_right(third)
    integer, intent(in) :: third
    integer :: i
    d_right = .true.
    !$xmp loop (i) on v(i)
    do i = 1, len_c
      if (d(i) /= merge(third, whole_c(i), i == 3)) d_right = .false.
    end do
  end function

  logical function a_right()
    integer :: i, j
    a_right = .true.
    !$xmp loop (i, j) on t(i, j)
    do j = 0, n2 - 1
      do i = 1, n1
        if (a(i, j) /= whole_a(i, j)) a_right = .false.
      end do
    end do
  end function

  logical function all_ones()
    integer :: i
    all_ones = .true.
    do i = 1, 10*nodes_all
      if (seen(i) /= 1) all_ones = .false.
    end do
  end function
end program
