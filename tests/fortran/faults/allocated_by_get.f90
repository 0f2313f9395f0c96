!> Gets of sections that are out of bounds, as the argument says, which allocate the variable on the left; the marked lines are the statements.
program allocated_by_get
  implicit none
  integer, save :: a(10)[*], b(0:4)[*], m(10, -1:8)[*]
  integer, allocatable :: values(:), matrix(:, :)
  integer :: low, high
  character(20) :: what

  call get_command_argument(1, what)
  a = 1
  b = 2
  m = 3
  low = num_images() - 2
  high = num_images() + 8
  sync all
  if (this_image() == 2) then
    select case (what)
    case ('before')
      values = a(low:3)[1]             ! before
    case ('beyond')
      values = a(3:high + 3:2)[1]      ! beyond
    case ('lower bound')
      values = b(1:high)[1]            ! lower bound
    case ('row')
      values = m(2, 7:high)[1]         ! row
    case ('matrix')
      matrix = m(2:3, 7:high)[1]       ! matrix
    case ('whole columns')
      values = m(:, high)[1]           ! whole columns
    end select
  end if
end program
