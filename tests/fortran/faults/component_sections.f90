!> Sections of array components of other images, as the argument says; the marked lines are out of the bounds of the component.
program component_sections
  implicit none
  type :: cell
    integer :: number = 7
    real :: x(4) = 1, y(2, 3) = 2
  end type
  type(cell), save :: c(5)[*]
  type(cell), allocatable :: a(:)[:]
  real :: values(6)
  integer :: high
  character(20) :: what

  call get_command_argument(1, what)
  allocate (a(5)[*])
  high = num_images() + 11
  values = 0
  sync all
  if (this_image() == 2) then
    select case (what)
    case ('put')
      c(1)[1]%y(1, 1:high) = 3         ! put
    case ('get')
      values(1:3) = c(2)[1]%x(high - 4:high + 1:2)   ! get
    case ('allocatable')
      a(2)[1]%x(4:high) = 5            ! allocatable
    case ('good')
      c(5)[1]%x(4:1:-1) = [1., 2., 3., 4.]
      a(1)[1]%y = 6
      c(:)[1]%number = 8
      values(1:2) = c(5)[1]%x(1:3:2)
      values(3:5) = a(1)[1]%y(2, :)
      if (any(values(1:5) /= [4., 2., 6., 6., 6.]) .or. any(c(:)[1]%number /= 8)) error stop 'a wrong value'
    end select
  end if
  sync all
end program
