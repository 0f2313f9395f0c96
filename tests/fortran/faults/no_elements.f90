!> Transfers of which one side or both have no elements: the first argument says which.
program no_elements
  implicit none
  integer :: a(5)[*], none(0), n
  character(len=20) :: what

  call get_command_argument(1, what)
  a = this_image()
  n = merge(0, 3, what == 'right')
  sync all
  select case (what)
  case ('put')
    a(1:n)[1] = none
  case ('get')
    none = a(1:n)[1]
  case ('copy')
    a(1:n)[1] = a(4:3)[2]
  case ('right')
    a(1:n)[2] = none
    none = a(1:n)[1]
    a(1:n)[2] = a(4:3)[1]
    ! A scalar conforms with all shapes.
    a(1:n)[2] = 7
  end select
  sync all
  if (any(a /= this_image())) error stop 'a was changed'
  if (this_image() == 1) print '(a)', 'done'
end program
