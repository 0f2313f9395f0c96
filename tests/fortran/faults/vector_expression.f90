!> Image 1 gets elements by a vector subscript in an expression, of the coarray that the first argument names.
program vector_expression
  implicit none
  integer, save :: a(10)[*], m(10, 3)[*]
  integer, allocatable :: b(:)[:]
  integer :: x(3), v(3), w(5)
  character(20) :: what

  allocate (b(10)[*])
  a = this_image(); b = this_image(); m = this_image()
  v = [2, 7, 5]
  w = [2, 1, 7, 1, 5]
  call get_command_argument(1, what)
  sync all
  if (this_image() == 1) then
    select case (what)
    case ('static'); x = a(v)[2] + 1
    case ('allocatable'); x = b(v)[2] + 1
    case ('matrix'); x = m(v, 1)[2] + 1
    case ('step-get'); x = a(w(1:5:2))[2]
    case ('step-put'); a(w(1:5:2))[2] = x
    ! What the messages say to write.
    case ('step-right')
      v = w(1:5:2)
      x = a(v)[2]
      x = x + 1
    case ('right')
      x = a(v)[2]
      x = x + 1
    case default; error stop 'vector_expression: unknown case'
    end select
    if (any(x /= 3)) error stop 'vector_expression: wrong elements'
    print '(a)', 'done'
  end if
  sync all
end program vector_expression
