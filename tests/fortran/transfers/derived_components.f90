!> Components of coarrays of derived type: elements lie further apart than they are long.
!> Sections of arrays have their first component only: gfortran 12 forgets where the others are.
! Not with gfortran 15 and later: character components of coindexed elements crash it.
program derived_components
  use checks
  implicit none
  type inner
    integer(1) :: flag
    real(8) :: w(4)
  end type
  type cell
    integer :: n
    character(3) :: name
    type(inner) :: in
  end type
  type(cell) :: c(6)[*], one[*]
  integer :: numbers(6), me, next, prev, i
  real(8) :: weights(4)
  character(3) :: name

  me = this_image(); next = right_of(me); prev = left_of(me)
  do i = 1, 6
    c(i) = cell(100 * me + i, 'c' // achar(iachar('0') + i), inner(int(i, 1), [1, 2, 3, 4] * 1d0 * i))
  end do
  one = c(1)
  sync all
  numbers = c(:)[next]%n
  call require(all(numbers == [(100 * next + i, i = 1, 6)]), 'get of a component of all elements')
  numbers(1:3) = c(6:2:-2)[next]%n
  call require(all(numbers(1:3) == [(100 * next + i, i = 6, 2, -2)]), 'get of a component of a reversed section')
  weights = c(2)[next]%in%w
  call require(all(weights == [2, 4, 6, 8]), 'get of an array component')
  weights(2:1:-1) = c(5)[next]%in%w(2:4:2)
  call require(all(weights(1:2) == [20, 10]), 'get of a section of an array component')
  name = c(4)[next]%name
  call require(name == 'c4', 'get of a character component')
  call require(one[next]%in%flag == 1_1, 'get of a component of a scalar')
  sync all
  c(:)[next]%n = [(-1000 * me - i, i = 1, 6)]
  c(3)[next]%in%flag = 77_1
  c(4)[next]%in%w(2:4:2) = [0.25d0, 0.75d0]
  c(2)[next]%name = 'new'
  one[next]%in%w = -2d0
  sync all
  call require(all(c%n == [(-1000 * prev - i, i = 1, 6)]), 'put to a component of all elements')
  call require(all(c%in%flag == [1_1, 2_1, 77_1, 4_1, 5_1, 6_1]), 'put to a nested component')
  call require(all(c(4)%in%w == [4d0, 0.25d0, 12d0, 0.75d0]), 'put to a section of a component')
  call require(all(c%name == ['c1 ', 'new', 'c3 ', 'c4 ', 'c5 ', 'c6 ']), 'put to characters')
  call require(all(one%in%w == -2) .and. one%name == 'c1', 'put to a component of a scalar')
end program
