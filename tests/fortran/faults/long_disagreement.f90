!> Image 3 gives other operands to a collective than the others do, as the argument says.
program long_disagreement
  implicit none
  character(30) :: what
  real, allocatable :: x(:)
  integer, allocatable :: k(:)
  integer :: n
  logical :: differs

  call get_command_argument(1, what)
  differs = this_image() == 3
  n = merge(1020, 1010, differs)
  if (what(1:4) == 'long') n = 100*n
  allocate (x(n), source=1.0)
  allocate (k(n), source=1)
  select case (what)
  case ('sum', 'long sum')
    call co_sum(x)
  case ('to one')
    call co_sum(x, result_image=2)
  case ('min')
    call co_min(x)
  case ('reduce')
    call co_reduce(x, add)
  case ('broadcast', 'long broadcast')
    call co_broadcast(x, 2)
  case ('type')
    if (differs) then
      call co_sum(k(1:1010))
    else
      call co_sum(x)
    end if
  case ('operation')
    if (differs) then
      call co_max(x(1:1010))
    else
      call co_sum(x)
    end if
  case default
    error stop 'long_disagreement: unknown operation'
  end select
  sync all
  print '(a)', 'nothing was found'
contains
  pure real function add(a, b)
    real, intent(in) :: a, b
    add = a + b
  end function
end program
