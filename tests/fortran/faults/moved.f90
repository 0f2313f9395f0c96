!> Image 2 executes another MOVE_ALLOC than the others, as the argument says. The compiler only calls SYNC ALL of the library.
module moved_variables
  implicit none
  real, allocatable :: c(:)[:], d(:)[:]
end module

program moved
  use moved_variables
  implicit none
  real, allocatable :: a(:)[:], b(:)[:]
  character(30) :: what
  logical :: differs

  call get_command_argument(1, what)
  differs = this_image() == 2
  allocate (a(4)[*], b(4)[*])
  select case (what)
  case ('another coarray')
    if (differs) then
      call move_alloc(b, c)
    else
      call move_alloc(a, c)
    end if
  case ('to another variable')
    if (differs) then
      call move_alloc(a, d)
    else
      call move_alloc(a, c)
    end if
  case ('sync all')
    if (differs) then
      sync all
    else
      call move_alloc(a, c)
    end if
  case ('there and back')
    call move_alloc(a, c)
    if (differs) then
      call move_alloc(c, a)
    else
      call move_alloc(c, d)
    end if
  case ('stop')
    if (differs) call move_alloc(b, c)
    if (.not. differs) sync all
    stop
  case ('local')
    call move_locally()
  case default
    ! All alike.
    call move_alloc(a, c)
    call move_alloc(b, d)
    call move_alloc(d, a)
    call move_alloc(c, b)
    call move_alloc(b, a)
    allocate (d(7)[*])
    sync all
  end select
contains
  !> The end of the procedure deallocates the variables.
  subroutine move_locally()
    real, allocatable :: x(:)[:], y(:)[:], z(:)[:]
    allocate (x(4)[*], y(4)[*])
    if (differs) then
      call move_alloc(x, z)
    else
      call move_alloc(y, z)
    end if
  end subroutine
end program
