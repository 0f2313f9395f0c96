!> Objects of derived type travel whole: scalars, arrays, sections, nested types.
program derived_whole
  use checks
  implicit none
  type inner
    integer(1) :: flag
    real(8) :: weight(3)
  end type
  type outer
    character(3) :: name
    type(inner) :: parts(2)
    integer :: number
  end type
  type(outer) :: one[*], many(5)[*], got, gots(5), mine
  integer :: me, next, prev, i

  me = this_image(); next = right_of(me); prev = left_of(me)
  mine = make(me)
  one = make(0); many = make(0)
  sync all
  one[next] = mine
  many(5:1:-2)[next] = [(make(100 * me + i), i = 1, 3)]
  sync all
  call require(same(one, make(prev)), 'put of a scalar')
  call require(same(many(5), make(100 * prev + 1)), 'put of a section, last element')
  call require(same(many(3), make(100 * prev + 2)), 'put of a section, middle element')
  call require(same(many(1), make(100 * prev + 3)), 'put of a section, first element')
  call require(same(many(2), make(0)) .and. same(many(4), make(0)), 'beside the section')
  got = one[next]
  call require(same(got, mine), 'get of a scalar')
  gots = many(:)[next]
  call require(same(gots(3), make(100 * me + 2)), 'get of an array')

contains

  pure type(outer) function make(seed)
    integer, intent(in) :: seed
    make = outer('n' // achar(iachar('0') + mod(seed, 10)) // '.', &
                 [inner(1_1, [1, 2, 3] * 0.5d0 * seed), inner(2_1, [4, 5, 6] * 0.5d0 * seed)], seed)
  end function

  logical function same(a, b)
    type(outer), intent(in) :: a, b
    same = a%name == b%name .and. a%number == b%number .and. all(a%parts%flag == b%parts%flag) &
           .and. all(a%parts(1)%weight == b%parts(1)%weight) &
           .and. all(a%parts(2)%weight == b%parts(2)%weight)
  end function
end program
