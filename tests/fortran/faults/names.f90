!> Image 2 refers to an image that does not exist, in the statement that the argument names.
module fields
  implicit none
  real(8), save :: u(0:201, 0:51)[*]
  integer, allocatable :: grid(:, :)[:]
end module fields

program names
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, event_type, lock_type
  use fields, only: u, grid
  implicit none
  integer, save :: number[*]
  integer(atomic_int_kind), save :: count[*]
  type(event_type), save :: ready[*]
  type(lock_type), save :: guard[*]
  character(20) :: what
  integer :: values(3), wrong
  real(8) :: column(200)

  call get_command_argument(1, what)
  allocate (grid(3, -1:4)[*])
  wrong = num_images() + 1
  column = 0
  sync all
  if (this_image() == 2) then
    select case (what)
    case ('put')
      u(1:200, 3)[wrong] = column
    case ('get')
      values = grid(:, 2)[wrong]
    case ('scalar')
      number[wrong] = 1
    case ('dummy')
      call increase(number)
    case ('event')
      event post (ready[wrong])
    case ('lock')
      lock (guard[wrong])
    case ('atomic')
      call atomic_add(count[wrong], 1)
    end select
  end if
  call of_procedure
  sync all
contains
  subroutine increase(it)
    integer, intent(inout) :: it[*]
    it[wrong] = 2
  end subroutine increase

  subroutine of_procedure
    integer, allocatable :: work(:)[:]
    allocate (work(10)[*])
    if (this_image() == 2 .and. what == 'local') work(3)[wrong] = 1
    sync all
  end subroutine of_procedure
end program names
