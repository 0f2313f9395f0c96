!> A chain of allocatable objects from one to the next, followed on another image.
program linked_list
  use checks
  implicit none
  type inner
    integer :: value
    integer, allocatable :: list(:)
  end type
  type middle
    type(inner), allocatable :: next
  end type
  type outer
    type(middle), allocatable :: first
  end type
  type(outer) :: c[*]
  integer, allocatable :: got(:)
  integer :: me, other, x

  me = this_image(); other = right_of(me)
  allocate (c%first)
  allocate (c%first%next)
  c%first%next%value = 10 * me
  allocate (c%first%next%list(me + 1))
  c%first%next%list = me
  sync all
  x = c[other]%first%next%value
  call require_equal(x, 10 * other, 'scalar at the end')
  got = c[other]%first%next%list
  call require(size(got) == other + 1 .and. all(got == other), 'array at the end')
  x = c[other]%first%next%list(2)
  call require_equal(x, other, 'element at the end')
  sync all
  c[other]%first%next%value = -me
  c[other]%first%next%list(1) = -me
  sync all
  call require(c%first%next%value == -left_of(me) .and. c%first%next%list(1) == -left_of(me), 'put')
  call require(c%first%next%list(2) == me, 'beside it')
end program
