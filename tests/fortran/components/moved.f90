!> MOVE_ALLOC between components, objects of one image and coarrays: the memory goes along, and stays where others find it.
! Not with gfortran 15 and later: MOVE_ALLOC from a component of a coarray is refused.
program moved
  use checks
  implicit none
  type t
    integer, allocatable :: x(:)
    integer, allocatable :: y(:)
    integer, allocatable :: s
    character(:), allocatable :: a
  end type
  type(t) :: c[*]
  type(t), allocatable :: d(:)[:]
  type(t) :: l
  integer, allocatable :: b(:), s
  character(:), allocatable :: a
  integer :: me, next, i
  me = this_image(); next = right_of(me)
  do i = 1, 100
    c%x = [me, me, me]
    call move_alloc(c%x, c%y)
    call require(.not. allocated(c%x) .and. size(c%y) == 3, 'x to y')
    call move_alloc(c%y, b)
    call require(.not. allocated(c%y) .and. size(b) == 3, 'y to b')
    call move_alloc(b, c%x)
    c%x = [c%x, c%x]
    call move_alloc(c%x, l%x)
    call move_alloc(l%x, c%y)
    call require(size(c%y) == 6, 'via l')
    c%s = me
    call move_alloc(c%s, s)
    call require(s == me .and. .not. allocated(c%s), 's')
    call move_alloc(s, c%s)
    c%a = repeat('ab', i)
    call move_alloc(c%a, a)
    call require(len(a) == 2*i, 'a')
    a = a // 'c'
    call move_alloc(a, c%a)
    call require(len(c%a) == 2*i + 1, 'a back')
    allocate (d(2)[*])
    call move_alloc(c%y, d(1)%x)
    call move_alloc(d(1)%x, d(2)%y)
    sync all
    call require(allocated(d(2)[next]%y) .and. .not. allocated(d(1)[next]%x), 'moved there')
    b = d(2)[next]%y
    call require(size(b) == 6 .and. all(b == next), 'moved')
    sync all
    if (mod(i, 2) == 0) call move_alloc(d(2)%y, c%y)
    deallocate (d)
  end do
  call require(size(c%y) == 6 .and. all(c%y == me), 'survives')
  sync all
  b = c[next]%y
  call require(size(b) == 6 .and. all(b == next), 'survives there')
  sync all
end program
