!> A local copy of an object of another image has the values of its components, can be changed, and goes away.
program copies
  use checks
  implicit none
  type t
    integer, allocatable :: x(:)
    integer :: n = 0
  end type
  type(t) :: c[*]
  integer :: me, next, round

  me = this_image(); next = right_of(me)
  c%x = [me, 2*me]
  c%n = me
  sync all
  do round = 1, 10
    if (next /= me) call look
  end do
  sync all
  call require(c%n == me .and. all(c%x == [me, 2*me]), 'the original')
  c%x = [c%x, 7]
  call require(size(c%x) == 3, 'the original is still a variable')

contains

  subroutine look
    type(t) :: copy
    copy = c[next]
    call require(copy%n == next .and. all(copy%x == [next, 2*next]), 'copied')
    if (mod(round, 2) == 0) then
      copy%x = [copy%x, 5]
      copy%x(1) = -1
      call require(all(copy%x == [-1, 2*next, 5]), 'changed')
    end if
  end subroutine
end program
