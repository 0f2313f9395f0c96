!> Components of size zero are allocated; nothing is transferred of them, and of empty sections.
program zero_size
  use checks
  implicit none
  integer :: empty(0)
  type t
    integer, allocatable :: x(:)
    character(:), allocatable :: s
    character(0), allocatable :: z(:)
    integer :: f(0)
  end type
  type(t) :: c[*]
  type(t), allocatable :: d(:)[:]
  integer, allocatable :: b(:)
  integer :: me, next
  me = this_image(); next = right_of(me)
  allocate (c%x(0), c%z(3))
  c%s = ''
  allocate (d(0)[*])
  sync all
  call require(allocated(c[next]%x) .and. allocated(c[next]%s), 'alloc')
  b = c[next]%x
  call require(allocated(b) .and. size(b) == 0, 'zero')
  b = c[next]%x(5:1)
  call require(size(b) == 0, 'zero section')
  c[next]%x(:) = b
  sync all
  c%x = [1, 2, 3]
  c%s = 'hello' // repeat('x', me)
  sync all
  b = c[next]%x(3:2)
  call require(size(b) == 0, 'zero section 2')
  b = c[next]%x(empty)
  call require(size(b) == 0, 'empty vector')
  deallocate (d)
  sync all
end program
