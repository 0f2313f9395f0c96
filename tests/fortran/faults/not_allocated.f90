!> Arguments of collective subroutines that are not allocated, as the argument says; the marked lines are the statements.
program not_allocated
  implicit none
  type :: point
    real :: x = 0, y = 0
  end type
  integer, allocatable :: l(:), k
  type(point), allocatable :: points(:)
  character(20) :: what
  integer :: me

  call get_command_argument(1, what)
  me = this_image()
  allocate (l(4), source=me)
  allocate (k, source=me)
  allocate (points(3))
  select case (what)
  case ('vector')
    deallocate (l)
    call co_broadcast(l, 1)            ! vector
  case ('scalar')
    deallocate (k)
    call co_broadcast(k, 1)            ! scalar
  case ('derived')
    deallocate (points)
    call co_broadcast(points, 1)       ! derived
  case ('on one image')
    if (me == 2) deallocate (l)
    call co_broadcast(l, 1)            ! on one image
  case ('sum')
    deallocate (l)
    call co_sum(a=l)                   ! sum
  case ('dummy')
    deallocate (l)
    call spread_value(l)
  case ('good')
    call co_broadcast(l, 2)
    call co_broadcast(k, 2)
    call co_broadcast(points, 2)
    if (any(l /= 2) .or. k /= 2) error stop 'a wrong value'
  end select
  print '(a)', 'went on'
contains
  subroutine spread_value(values)
    integer, allocatable, intent(inout) :: values(:)
    call co_broadcast(values, &
                      1)               ! dummy
  end subroutine
end program
