!> Initial values of coarrays: of declarations and components; arrays, characters, derived types.
module parameters
  implicit none
  integer, parameter :: n = 3
  type pair
    integer :: a = 7
    real(8) :: b = -0.5d0
    character(3) :: c = 'abc'
  end type
end module

program initial_values
  use checks
  use parameters
  implicit none
  integer :: i[*] = 5, v(n)[*] = [1, 2, 3], all_same(4)[*] = 9
  real(8) :: m(2)[*] = [1.5d0, 2.5d0]
  logical :: l(2)[*] = [.true., .false.]
  character(4) :: s(2)[*] = ['one ', 'two ']
  complex(8) :: z(2)[*] = [(1d0, 2d0), (3d0, 4d0)]
  type(pair) :: p[*], ps(2)[*], given[*] = pair(1, 2d0, 'xyz')
  integer :: next

  next = right_of(this_image())
  call require(i[next] == 5 .and. v(2)[next] == 2 .and. v(3)[next] == 3, 'integers')
  call require(all(all_same == 9) .and. all_same(4)[next] == 9, 'one value for an array')
  call require(m(2)[next] == 2.5d0 .and. l(1)[next] .and. .not. l(2)[next], 'reals and logicals')
  call require(s(1)[next] == 'one' .and. s(2)[next] == 'two', 'characters')
  call require(all(z == [(1d0, 2d0), (3d0, 4d0)]), 'complex')
  call require(p[next]%a == 7 .and. p[next]%b == -0.5d0 .and. p%c == 'abc', 'default initialization')
  call require(ps(2)[next]%a == 7 .and. ps(1)[next]%b == -0.5d0, 'default initialization of elements')
  call require(given[next]%a == 1 .and. given[next]%b == 2 .and. given%c == 'xyz', 'a structure constructor')
end program
