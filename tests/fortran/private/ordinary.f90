!> Memory that the program allocates for itself, and to which pointer components of a coarray lead: `ordinary WAY [REACHABLE]`.
!> REACHABLE is 1 where it is to lie in the segment of its image. Whatever it is, other images read and write it.
! Not with gfortran 15 and later: pointer components have another layout in accessors.
program ordinary
  use checks
  use, intrinsic :: iso_c_binding, only: c_int, c_loc, c_ptr
  implicit none
  type t
    integer, pointer :: p(:) => null()
    character(:), pointer :: word => null()
    integer, allocatable :: own(:)
  end type
  interface
    integer(c_int) function is_reachable(address) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: address
    end function
    subroutine give_to_libraries(reachable) bind(c)
      import :: c_int
      integer(c_int), value :: reachable
    end subroutine
    subroutine start_threads() bind(c)
    end subroutine
    subroutine end_threads() bind(c)
    end subroutine
    subroutine check_fork(values, count) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: values
      integer(c_int), value :: count
    end subroutine
    subroutine fork_without_memory() bind(c)
    end subroutine
    integer(c_int) function is_dumped(address) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: address
    end function
  end interface
  type(t) :: c[*]
  integer, allocatable, target :: array(:), more(:), zeros(:)
  character(:), allocatable, target :: text
  character(20) :: way, reachable
  integer :: me, next, before, i, expected
  integer, parameter :: n = 3000

  me = this_image(); next = right_of(me); before = left_of(me)
  call get_command_argument(1, way)
  call get_command_argument(2, reachable)
  expected = merge(1, 0, reachable == '1')
  allocate (array(n), source=[(me + i, i=1, n)])
  call is_where(array, 'allocated')
  c%p => array
  call exchange('at first')

  select case (way)
  case ('memory')
    ! Reallocated by assignments: larger, and from small to large.
    array = [(2*me + i, i=1, 5*n)]
    call is_where(array, 'grown')
    c%p => array
    sync all
    call require_equal(element(5*n), 2*next + 5*n, 'element of a grown array')
    sync all
    array = [1, 2, 3]
    array = [(me + i, i=1, n)]
    call is_where(array, 'small, and grown again')
    c%p => array
    call exchange('grown again')
    call move_alloc(array, more)
    c%p => more
    call exchange('moved')
    call move_alloc(more, array)
    ! Of deferred length, and components that the compiler allocates by itself.
    text = repeat(achar(64 + me), 2000)
    c%word => text
    c%own = array
    sync all
    more = c[next]%own
    call require(all(more == [(next + i, i=1, n)]), 'allocatable component')
    call require(size(more) == n, 'size of an allocatable component')
    sync all
    c%own = [c%own, -1]
    deallocate (c%own)
    call give_to_libraries(expected)
  case ('threads')
    do i = 1, 20
      call start_threads
      call exchange('beside threads')
      call end_threads
    end do
  case ('fork')
    array = [(i - 1, i=1, n)]
    c%p => array
    sync all
    call check_fork(c_loc(array), n)
    deallocate (array)
    allocate (array(n), source=[(me + i, i=1, n)])
    c%p => array
    call exchange('after a fork')
  case ('full')
    call fill
  case ('fork-without-memory')
    call fork_without_memory
  case ('none')
    continue
  case default
    call require(.false., 'unknown way: '//way)
  end select
  c%p => array
  call exchange('at last')
  deallocate (array)
  ! Memory that was freed serves again.
  do i = 1, 1000
    allocate (zeros(n*mod(i, 30) + n))
    zeros = i
    if (i == 1000) call require(all(zeros == i), 'zeros')
    deallocate (zeros)
  end do
  sync all

contains

  subroutine is_where(array, what)
    integer, target, intent(in) :: array(:)
    character(*), intent(in) :: what
    call require_equal(int(is_reachable(c_loc(array))), expected, what)
    ! Not where the system does not say it.
    call require(is_dumped(c_loc(array)) /= 0, what//': part of core dumps')
  end subroutine

  integer function element(i)
    integer, intent(in) :: i
    element = c[next]%p(i)
  end function

  !> Reads elements and sections of the next image, and writes to them.
  subroutine exchange(what)
    character(*), intent(in) :: what
    integer :: some(3)
    sync all
    call require_equal(size(c%p), n, what)
    call require_equal(element(n), next + n, what//': element')
    some = c[next]%p([7, n, 7])
    call require(all(some == next + [7, n, 7]), what//': vector subscript')
    sync all
    c[next]%p(5) = -me
    c[next]%p(10:n:1000) = [-1, -2, -me]
    sync all
    call require(c%p(5) == -before .and. all(c%p(10:n:1000) == [-1, -2, -before]), what//': put')
    c%p(5) = me + 5
    c%p(10:n:1000) = me + [10, 1010, 2010]
    sync all
  end subroutine

  !> More than the segment has room for: some lie there, others do not. Then a coarray still has room.
  subroutine fill
    type block
      integer, allocatable :: x(:)
    end type
    type(block), allocatable, target :: blocks(:)
    integer, allocatable :: coarray(:)[:]
    integer :: i, kinds(0:1)
    allocate (blocks(500))
    kinds = 0
    do i = 1, 500
      allocate (blocks(i)%x(2**18))
      blocks(i)%x(n) = me*i
      kinds(is_reachable(c_loc(blocks(i)%x))) = kinds(is_reachable(c_loc(blocks(i)%x))) + 1
    end do
    if (expected == 1) call require(all(kinds > 0), 'blocks in the segment and outside')
    if (expected == 0) call require_equal(kinds(1), 0, 'blocks in the segment')
    do i = 1, 500, 33
      c%p => blocks(i)%x
      sync all
      call require_equal(element(n), next*i, 'of many blocks')
      sync all
    end do
    allocate (coarray(2**25)[*])
    coarray(2**25) = me
    sync all
    call require_equal(coarray(2**25)[next], next, 'coarray')
    sync all
    deallocate (coarray)
  end subroutine

end program
