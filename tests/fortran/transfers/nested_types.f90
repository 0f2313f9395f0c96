!> Components within components, arrays within arrays of derived types: any one of the parts may be an array.
program nested_types
  use checks
  implicit none
  type inner
    integer :: v(3)
    character(4) :: s
  end type
  type outer
    type(inner) :: part(2)
    real(8) :: w
    type(inner) :: one
  end type
  type(outer) :: c(4)[*], d[*]
  integer :: me, next, prev, x, got(3)
  type(inner) :: whole

  me = this_image(); next = right_of(me); prev = left_of(me)
  do x = 1, 4
    c(x) = outer([inner([1, 2, 3] * me, 'a'), inner([4, 5, 6] * me, 'b')], x * me, inner([7, 8, 9] * me, 'c'))
  end do
  d = c(1)
  sync all
  x = c(3)[next]%part(2)%v(1); call require_equal(x, 4 * next, 'element deep down')
  got = c(3)[next]%part(1)%v; call require(all(got == [1, 2, 3] * next), 'array deep down')
  got(1:2) = d[next]%one%v(1:3:2); call require(all(got(1:2) == [7, 9] * next), 'section deep down')
  whole = c(2)[next]%part(2); call require(all(whole%v == [4, 5, 6] * next) .and. whole%s == 'b', 'object within')
  call require(c(4)[next]%w == 4 * next .and. d[next]%part(1)%s == 'a', 'others')
  sync all
  c(2)[next]%part(1)%v(2:3) = [-me, -2 * me]
  c(2)[next]%one = inner([0, 0, me], 'zz')
  d[next]%part(2)%s = 'put'
  sync all
  call require(all(c(2)%part(1)%v == [me, -prev, -2 * prev]), 'put of a section')
  call require(all(c(2)%one%v == [0, 0, prev]) .and. c(2)%one%s == 'zz' .and. c(2)%w == 2 * me, 'put of an object')
  call require(d%part(2)%s == 'put' .and. d%part(1)%s == 'a' .and. all(c(1)%part(1)%v == [1, 2, 3] * me), 'put of a character')
end program
