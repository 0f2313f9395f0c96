!> Puts by vector subscripts that have a value twice, as the argument says; the marked lines are the statements.
program same_element
  implicit none
  integer :: a(0:9)[*], m(3, 4)[*]
  integer, allocatable :: c(:)[:]
  integer :: twice(3), once(3)
  character(20) :: what

  call get_command_argument(1, what)
  a = 0
  m = 0
  allocate (c(10)[*], source=0)
  twice = [3, 1, 3]
  once = [3, 1, 2]
  sync all
  if (this_image() == 1) then
    select case (what)
    case ('array')
      a(twice)[2] = once               ! array
    case ('value')
      a(twice)[2] = 7                  ! value
    case ('matrix')
      m(once, twice)[2] = 4            ! matrix
    case ('allocatable')
      c(twice)[2] = a(once)[1]         ! allocatable
    case ('good')
      a(once)[2] = twice
      m(once, once)[2] = 5
      once = a(twice)[2]
      if (any(once /= [3, 1, 3])) error stop 'a wrong value'
    end select
  end if
  sync all
  print '(a)', 'went on'
end program
