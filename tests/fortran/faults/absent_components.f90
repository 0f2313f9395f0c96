!> Objects are broadcast whose allocatable components are not allocated, as the argument says.
program absent_components
  implicit none
  type :: inner
    integer, allocatable :: a(:)
    integer :: k = 4
  end type
  type :: outer
    integer :: i = 0
    integer, allocatable :: a(:), matrix(:, :)
    real(8), allocatable :: s
    type(inner) :: c
    integer, allocatable :: b(:)
  end type
  type(outer) :: v
  character(30) :: what
  integer :: me, np

  call get_command_argument(1, what)
  me = this_image()
  np = num_images()
  v%i = me
  v%c%k = me
  allocate (v%b(merge(7, 6, what == 'sizes' .and. me == 3)), source=me)
  select case (what)
  case ('source only')
    if (me == np) allocate (v%a(5), source=me)
  case ('others only')
    if (me /= np) allocate (v%a(5), source=me)
  end select
  call co_broadcast(v, np)
  if (v%i /= np .or. v%c%k /= np .or. any(v%b /= np)) error stop 'a wrong value'
  if (what == 'none' .and. allocated(v%a)) error stop 'allocated'
  if (allocated(v%matrix) .or. allocated(v%s) .or. allocated(v%c%a)) error stop 'allocated'
  print '(a)', 'good'
end program
