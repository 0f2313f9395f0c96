!> Components are allocated, resized, moved and deallocated by one image alone.
program life
  use checks
  implicit none
  type t
    integer, allocatable :: x(:)
    integer, allocatable :: s
    character(:), allocatable :: name
  end type
  type(t) :: c(2)[*]
  type(t), allocatable :: d(:)[:]
  integer, allocatable :: b(:)
  integer :: me, next, i, round

  me = this_image(); next = right_of(me)
  call require(.not. allocated(c(1)%x), 'allocated from the start')
  call require(.not. allocated(c(1)[next]%x), 'allocated there from the start')
  sync all
  ! Only the odd images have it.
  if (mod(me, 2) == 1) then
    c(1)%x = [(me*i, i=1, 5)]
    c(1)%s = me
  end if
  sync all
  call require(allocated(c(1)[next]%x) .eqv. mod(next, 2) == 1, 'allocated there')
  call require(allocated(c(1)[next]%s) .eqv. mod(next, 2) == 1, 'scalar allocated there')
  if (allocated(c(1)[next]%x)) then
    b = c(1)[next]%x
    call require(all(b == [(next*i, i=1, 5)]), 'assigned')
  end if
  sync all
  do round = 1, 200
    c(2)%x = [(me + i, i=1, round)]
    call require(size(c(2)%x) == round .and. c(2)%x(round) == me + round, 'resized')
  end do
  sync all
  b = c(2)[next]%x
  call require(size(b) == 200 .and. all(b == [(next + i, i=1, 200)]), 'after many sizes')
  sync all
  ! To an ordinary variable, and back.
  call move_alloc(c(2)%x, b)
  call require(.not. allocated(c(2)%x) .and. size(b) == 200, 'moved away')
  b = [b, 7]
  deallocate (b)
  allocate (b(3), source=me)
  call move_alloc(b, c(2)%x)
  call require(size(c(2)%x) == 3 .and. all(c(2)%x == me), 'moved in')
  sync all
  do round = 1, 50
    allocate (d(3)[*])
    allocate (d(2)%x(1000*round), source=me)
    d(3)%name = repeat('ab', me)
    d(3)%name = repeat('abc', 40*me)
    sync all
    call require_equal(d(2)[next]%x(1000*round), next, 'in an allocated coarray')
    sync all
    deallocate (d)
  end do
  deallocate (c(1)%x, stat=i)
  call require((i == 0) .eqv. mod(me, 2) == 1, 'deallocated')
  sync all
  call require(.not. allocated(c(1)[next]%x), 'deallocated there')
end program
