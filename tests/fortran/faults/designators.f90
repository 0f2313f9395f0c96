!> Image 2 accesses what the first argument names, out of bounds or on an image that does not exist.
module fields
  implicit none
  real(8), save :: u(0:201, 0:51)[*]
  integer, allocatable :: grid(:, :)[:]
end module fields

program designators
  use, intrinsic :: iso_fortran_env, only: event_type
  use fields, only: u, grid
  implicit none
  type cell
    real(8) :: x
    integer :: marks(4)
  end type cell
  character(5), save :: names(3)[*]
  type(cell), save :: cells(0:6)[*]
  integer, save :: number[*]
  type(event_type), save :: ready(2)[*]
  integer, allocatable :: list(:)[:], moved(:)[:]
  character(20) :: what
  real(8) :: column(200)
  integer :: values(3)
  ! What the compiler does not know.
  integer :: one

  call get_command_argument(1, what)
  one = min(num_images(), 1)
  allocate (grid(3, -1:4)[*], moved(7)[*])
  allocate (list(10)[*])
  column = 0
  values = 0
  sync all
  if (this_image() == 2) then
    select case (what)
    case ('column')
      u(1:200, 51 + one)[1] = column
    case ('before')
      column = u(1:200, one - 2)[1]
    case ('row')
      u(5, 0:51 + one)[1] = 0
    case ('module')
      values(1) = grid(2, 4 + one)[1]
    case ('section')
      list(5:14 + one)[1] = 1
    case ('backwards')
      values = list(2 * one:-2:-2)[1]
    case ('vector')
      list([one, 5, 11 + one])[1] = values
    case ('characters')
      names(3 + one)[1] = 'name'
    case ('component')
      column(1) = cells(6 + one)[1]%x
    case ('element')
      values(1) = cells(6 + one)[1]%marks(2)
    case ('components')
      column(1:3) = cells(5:6 + one)[1]%x
    case ('scalar')
      number[num_images() + one] = 1
    case ('copy')
      list(10 + one)[1] = list(2)[3]
    case ('copy-from')
      list(2)[1] = list(10 + one)[3]
    case ('dummy')
      call increase(list, 10 + one)
    case ('procedure')
      call own(10 + one)
    case ('events')
      event post (ready(1 + one)[num_images() + one])
    end select
  end if
  if (what == 'all') list(10 + one)[1] = 1
  if (what == 'moved') then
    deallocate (list)
    call move_alloc(moved, list)
    if (this_image() == 2) list(7 + one)[1] = 1
  end if
  if (what(1:5) == 'local') call local(10 + one)
  sync all
contains
  subroutine local(n)
    integer, intent(in) :: n
    integer, allocatable :: work(:)[:], other[:]
    allocate (work(10)[*], other[*])
    if (this_image() == 2 .and. what == 'local') work(n)[1] = 1
    if (this_image() == 2 .and. what == 'local-scalar') other[n] = 1
    sync all
  end subroutine local

  subroutine increase(part, n)
    integer, intent(inout) :: part(:)[*]
    integer, intent(in) :: n
    part(n)[1] = part(n)[1] + 1
  end subroutine increase

  subroutine own(n)
    integer, intent(in) :: n
    u(n, 45 + n)[3] = 1
  end subroutine own
end program designators
