!> Coindexed objects as actual arguments: by value, intent(in), functions and subroutines, and copies that come back.
program procedure_arguments
  use checks
  implicit none
  type t
    integer :: i
    real(8) :: x(2)
  end type
  integer :: a(6)[*], n[*]
  type(t) :: o[*]
  integer :: me, next, prev, i

  me = this_image(); next = right_of(me); prev = left_of(me)
  a = [(me * i, i = 1, 6)]; n = me; o = t(me, [0.5d0, 1.5d0] * me)
  sync all
  call require_equal(double(n[next]), 2 * next, 'scalar')
  call require_equal(by_value(n[next]), next + 1, 'value')
  call require_equal(total(a(:)[next]), 21 * next, 'assumed shape')
  call require_equal(total(a(2:6:2)[next]), 12 * next, 'section')
  call require_equal(explicit(a(3:5)[next], 3), 12 * next, 'explicit shape')
  call require(of_type(o[next]) == 3d0 * next, 'derived type')
  call require(elemental_one(n[next]) == -next, 'elemental')
  call require(all(elemental_one(a(1:2)[next]) == [-next, -2 * next]), 'elemental with an array')
  sync all

contains

  integer function double(x)
    integer, intent(in) :: x
    double = 2 * x
  end function

  integer function by_value(x)
    integer, value :: x
    x = x + 1
    by_value = x
  end function

  integer function total(x)
    integer, intent(in) :: x(:)
    total = sum(x)
  end function

  integer function explicit(x, length)
    integer, intent(in) :: length
    integer, intent(in) :: x(length)
    explicit = sum(x)
  end function

  real(8) function of_type(x)
    type(t), intent(in) :: x
    of_type = x%i + sum(x%x)
  end function

  elemental integer function elemental_one(x)
    integer, intent(in) :: x
    elemental_one = -x
  end function
end program
