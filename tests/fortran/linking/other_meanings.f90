!> What gfortran 12 to 14 compile to something else, and what looks like it.
module other_meanings
  use iso_fortran_env
  implicit none
  type pair
    integer :: one
    real :: two
  end type
  complex :: z[*] ! wrong: complex
  complex :: array(3)[*]
  complex, save :: x, y[2, *] ! wrong: complex
  complex, allocatable :: allocated[:]
  type(pair) :: p(4)[*]
  character(5) :: c[*], elements(3)[*]
  integer :: n[*], m(3)[*]
  real :: reals(3)[*]
  type node
    integer :: key
    type(node), pointer :: next
  end type
  type(node), allocatable :: nodes(:)[:] ! wrong in 12: loses this coarray
  type(node), allocatable :: one_node[:]
  type(node), save :: fixed_nodes(3)[*]
  character(:), allocatable :: names(:)[:]
contains
  subroutine statements(d, k, r, i, team)
    character(5) :: d
    integer :: k, i(4), v(2), status
    type(pair) :: local(4)
    real :: r(4)
    type(team_type) :: team
    character(20) :: message
    d = c[1](2:3) ! wrong: substring
    c[2](1:1) = 'x' ! wrong: substring
    d = elements(2)[1](2:3) ! wrong: substring
    d = c[1]
    d = 'c[1](2:3)'
    c[2] = d(1:2) // 'zw' ! wrong: concatenation
    elements(k)[2] = 'a' // d ! wrong: concatenation
    c[2] = trim(d // 'z')
    c[2] = d ! // 'z'
    c[2] = "a//b"
    r = p(:)[1]%two ! wrong: component
    p(2:3)[1]%two = 0 ! wrong: component
    i = p(:)[1]%one
    r(1) = p(2)[1]%two
    sync all (stat=status, errmsg=message) ! wrong: errmsg
    if (k == 1) sync images (*, stat=status, errmsg=message) ! wrong: errmsg
    sync memory (stat=status)
    allocate (allocated[*], stat=status, errmsg=message)
    k = n[1, team=team] ! wrong: current team
    m(1:2) = m(2:3)[1, team=team] ! wrong: current team
    n[1, team=team] = 3
    m(2)[1, team=team] = k
    m(:) = m(:)[2]
    names(2)[1] = 'x' ! wrong: all elements
    names(:)[1] = 'x'
    d = names(2)[1]
    i(1:2) = m(v)[2] + 1 ! wrong: vector
    print *, sum(m(v)[2]) ! wrong: vector
    i(1:2) = m(v)[2]
    i(1:2) = m(v + 1)[2]
    i(1) = m(v(1))[2] + 1
    m(v)[2] = i(1:2) + 1
    local(2:3)%two = reals(1:2)[2] ! wrong: local section
    reals(1:2)[2] = local(2:3)%two ! wrong: local section
    m(1:2)[2] = local(2:3)%one
  end subroutine
end module
