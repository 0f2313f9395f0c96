!> Coarrays of derived type with type-bound procedures: the passed object is a coarray, or a copy of
!> another image's.
module counters
  implicit none
  type counter
    integer :: n = 0
    integer :: history(3) = 0
  contains
    procedure :: add
    procedure :: total
    generic :: operator(+) => join
    procedure, private :: join
  end type

contains

  subroutine add(self, k)
    class(counter), intent(inout) :: self
    integer, intent(in) :: k
    self%history = [k, self%history(1), self%history(2)]
    self%n = self%n + k
  end subroutine

  pure integer function total(self)
    class(counter), intent(in) :: self
    total = self%n
  end function

  pure type(counter) function join(a, b)
    class(counter), intent(in) :: a, b
    join = counter(a%n + b%n, a%history)
  end function
end module

program type_bound
  use checks
  use counters
  implicit none
  type(counter) :: c[*], list(3)[*], copy
  integer :: me, next

  me = this_image(); next = right_of(me)
  call c%add(5)
  call c%add(me)
  call list(2)%add(7 * me)
  sync all
  copy = c[next]
  call require(copy%total() == 5 + next .and. all(copy%history == [next, 5, 0]), 'copy')
  copy = list(2)[next]
  call require_equal(copy%total(), 7 * next, 'copy of an element')
  copy = copy + c
  call require_equal(copy%n, 7 * next + 5 + me, 'operator')
  sync all
  c[next]%n = -me
  sync all
  call require(c%total() == -left_of(me) .and. all(c%history == [me, 5, 0]), 'coarray as the passed object')
end program
