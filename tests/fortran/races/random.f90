!> Random statements of a correct program that access coarrays in every way: the first argument is the seed, the second one how many
!> statements. At each time one image holds an element of a coarray, and it alone accesses the element. An image gives elements to
!> another one by statements that order the two. All images know who holds what, as they have the same random numbers.
program random
  use, intrinsic :: iso_fortran_env, only: event_type, lock_type, team_type, atomic_int_kind, int8, int64
  implicit none
  integer, parameter :: cells = 24, most = 8
  type :: boxed
    integer :: count = 0
    integer, allocatable :: list(:)
  end type
  integer, target, save :: x(cells)[*]
  integer(int8), save :: bytes(cells)[*]
  type(boxed), save :: box[*]
  integer, allocatable :: grid(:, :)[:], work(:)[:]
  type(event_type), save :: ready(most)[*]
  integer(atomic_int_kind), save :: flags(most)[*]
  type(lock_type), save :: guard[*]
  integer, save :: under_lock[*], in_critical[*]
  type(team_type) :: team
  ! For each element of each of four coarrays on each image.
  integer :: holder(cells, 4, most), value(cells, 4, most), given(most, most)
  integer, pointer :: p(:)
  integer :: me, n, k, i, at, which, first, last, seed, steps, to, total
  character(20) :: argument

  call get_command_argument(1, argument)
  read (argument, *) seed
  call get_command_argument(2, argument)
  read (argument, *) steps
  me = this_image()
  n = num_images()
  allocate (grid(cells / 4, 4)[*], box%list(cells))
  x = 0; bytes = 0; grid = 0; box%list = 0; flags = 0; under_lock = 0; in_critical = 0
  value = 0; given = 0
  do i = 1, n
    holder(:, :, i) = i
  end do
  p => x
  sync all
  do k = 1, steps
    at = 1 + dice(n)
    which = 1 + dice(4)
    first = 1 + dice(cells)
    last = first
    i = dice(cells)
    do while (last < cells .and. i > 0)
      if (holder(last + 1, which, at) /= holder(first, which, at)) exit
      last = last + 1
      i = i - 1
    end do
    to = 1 + dice(n)
    select case (dice(20))
    case (0)
      sync all
    case (1:5)
      call give(dice(4))
    case (6:10)
      call define()
    case (11:14)
      call reference()
    case (15)
      ! All images read everything.
      sync all
      do i = 1, n
        call expect(all(x(:)[i] == value(:, 1, i)), 'x')
        call expect(all(bytes(:)[i] == value(:, 2, i)), 'bytes')
        call expect(all(reshape(grid(:, :)[i], [cells]) == value(:, 4, i)), 'grid')
      end do
      call expect(sum(box%list) == sum(value(:, 3, me)), 'list')
      sync all
    case (16)
      lock (guard[at])
      i = under_lock[at]
      under_lock[at] = i + 1
      unlock (guard[at])
    case (17)
      critical
        i = in_critical[at]
        in_critical[at] = i + 1
      end critical
    case (18)
      form team (1 + mod(me + k, 2), team)
      change team (team)
        total = 1
        call co_sum(total)
        call expect(total == num_images(), 'team')
      end team
    case (19)
      allocate (work(4)[*])
      work(:)[mod(me, n) + 1] = me
      sync all
      call expect(all(work == mod(me + n - 2, n) + 1), 'work')
      deallocate (work)
    end select
  end do
  sync all
  call expect(all(x == value(:, 1, me)) .and. all(box%list == value(:, 3, me)), 'the end')

contains

  !> The next number below `sides`, the same on all images at the same statement.
  integer function dice(sides)
    integer, intent(in) :: sides
    seed = int(modulo(int(seed, int64) * 16807_int64, 2147483647_int64))
    dice = modulo(seed / 64, sides)
  end function

  subroutine expect(is_so, what)
    logical, intent(in) :: is_so
    character(*), intent(in) :: what
    if (.not. is_so) error stop what
  end subroutine

  !> The holder of the elements gives them to image `to`.
  subroutine give(way)
    integer, intent(in) :: way
    integer :: from
    integer(atomic_int_kind) :: now
    from = holder(first, which, at)
    if (from == to) return
    select case (way)
    case (0)
      if (me == from) event post (ready(from)[to])
      if (me == to) event wait (ready(from))
    case (1)
      if (me == from) sync images (to)
      if (me == to) sync images (from)
    case (2)
      given(from, to) = given(from, to) + 1
      if (me == from) then
        sync memory
        call atomic_add(flags(from)[to], 1)
      else if (me == to) then
        do
          call atomic_ref(now, flags(from))
          if (now >= given(from, to)) exit
        end do
        sync memory
      end if
    case default
      if (me == from .or. me == to) sync images ([from, to])
    end select
    holder(first:last, which, at) = to
  end subroutine

  !> The holder of the elements defines them.
  subroutine define()
    integer :: way, i, new
    new = modulo(k, 100)
    way = dice(4)
    value(first:last, which, at) = new
    if (holder(first, which, at) /= me) return
    select case (which)
    case (1)
      if (at /= me .or. way == 0) then
        x(first:last)[at] = new
      else if (way == 1) then
        x(first:last) = new
      else if (way == 2) then
        p(first:last) = new
      else
        call set(x(first:last), new)
      end if
    case (2)
      if (at /= me .or. way == 0) then
        bytes(first:last)[at] = int(new, int8)
      else
        do i = first, last
          bytes(i) = int(new, int8)
        end do
      end if
    case (3)
      if (at /= me .or. way == 0) then
        box[at]%list(first:last) = new
      else if (way == 1) then
        call set(box%list(first:last), new)
      else
        box%list(first:last) = new
      end if
    case (4)
      do i = first, last
        if (at /= me .or. way == 0) then
          grid(1 + mod(i - 1, cells / 4), 1 + (i - 1) / (cells / 4))[at] = new
        else
          grid(1 + mod(i - 1, cells / 4), 1 + (i - 1) / (cells / 4)) = new
        end if
      end do
    end select
  end subroutine

  subroutine set(v, new)
    integer, intent(inout) :: v(:)
    integer, intent(in) :: new
    v = new
  end subroutine

  !> The holder of the elements references them.
  subroutine reference()
    integer :: way, i, got(cells), expected(cells), number
    character(12 * cells) :: text
    way = dice(4)
    if (holder(first, which, at) /= me) return
    number = last - first + 1
    expected(:number) = value(first:last, which, at)
    select case (which)
    case (1)
      if (at /= me .or. way == 0) then
        got(:number) = x(first:last)[at]
      else if (way == 1) then
        write (text, '(*(i12))') x(first:last)
        read (text, '(*(i12))') got(:number)
      else if (way == 2) then
        got(:number) = p(first:last)
      else
        got(:number) = x(first:last)
      end if
    case (2)
      if (at /= me .or. way == 0) then
        got(:number) = bytes(first:last)[at]
      else
        got(:number) = bytes(first:last)
      end if
    case (3)
      if (at /= me .or. way == 0) then
        got(:number) = box[at]%list(first:last)
      else
        got(:number) = box%list(first:last)
      end if
    case (4)
      do i = first, last
        if (at /= me .or. way == 0) then
          got(i - first + 1) = grid(1 + mod(i - 1, cells / 4), 1 + (i - 1) / (cells / 4))[at]
        else
          got(i - first + 1) = grid(1 + mod(i - 1, cells / 4), 1 + (i - 1) / (cells / 4))
        end if
      end do
    end select
    call expect(all(got(:number) == expected(:number)), 'a reference')
  end subroutine
end program
