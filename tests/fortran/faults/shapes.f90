!> Collective subroutines whose argument has another shape, with as many elements, on image 2 than on the others: the case is the first
!> argument.
program shapes
  implicit none
  integer :: vector(6), wide(2, 3), high(3, 2), ierr
  integer, allocatable :: these(:, :)
  character(len=20) :: what

  call get_command_argument(1, what)
  vector = this_image()
  wide = this_image()
  high = this_image()
  select case (what)
  case ('sum')
    if (this_image() == 2) then
      call co_sum(high)
    else
      call co_sum(wide)
    end if
  case ('vector')
    if (this_image() == 2) then
      call co_max(vector)
    else
      call co_max(wide)
    end if
  case ('reduction')
    if (this_image() == 2) then
      call co_reduce(high, sum_of)
    else
      call co_reduce(wide, sum_of)
    end if
  case ('broadcast')
    if (this_image() == 2) then
      call co_broadcast(high, 1)
    else
      call co_broadcast(wide, 1)
    end if
  case ('long sum')
    call allocate_these(300, 400)
    call co_sum(these, result_image=2)
  case ('long broadcast')
    call allocate_these(300, 400)
    call co_broadcast(these, 1)
  case ('operation')
    if (this_image() == 2) then
      call co_max(wide)
    else
      call co_sum(wide)
    end if
  case ('stat')
    ! A broadcast in two pieces.
    call allocate_these(50, 60)
    call co_broadcast(these, 1, stat=ierr)
    if (this_image() == 2 .and. ierr == 0) error stop 'other shape'
    sync all
    call co_sum(vector)
    if (any(vector /= num_images() * (num_images() + 1) / 2)) error stop 'sum'
    call co_sum(wide)
    if (any(wide /= num_images() * (num_images() + 1) / 2)) error stop 'sum of an array'
    sync all
    if (this_image() == 1) print '(a)', 'good'
  end select
contains
  subroutine allocate_these(rows, columns)
    integer, intent(in) :: rows, columns
    if (this_image() == 2) then
      allocate (these(columns, rows), source=0)
    else
      allocate (these(rows, columns), source=0)
    end if
  end subroutine

  pure integer function sum_of(x, y)
    integer, intent(in) :: x, y
    sum_of = x + y
  end function
end program shapes
