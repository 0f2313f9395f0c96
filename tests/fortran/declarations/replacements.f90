!> What docs/COMPILERS.md says to write where gfortran 12 to 14 do something else, and forms of which tests/README.md says
!> that they work: each gives the right value.
! Not with gfortran 15 and later: coindexed subscripts are local ones, and puts in procedures of a module crash.
module replacements_of_modules
  use checks
  implicit none
contains
  !> A saved coarray of a procedure of a module, within two levels of scope.
  subroutine scopes(next)
    integer, intent(in) :: next
    integer, save :: v(2)[*] = 5
    associate (i => next + 0)
      block
        integer :: k
        k = i
        v(2)[k] = this_image()
      end block
    end associate
    sync all
    call require_equal(v(1), 5, 'initial value of a coarray within ASSOCIATE and BLOCK')
    call require_equal(v(2), left_of(this_image()), 'put within ASSOCIATE and BLOCK')
    sync all
  end subroutine scopes
end module replacements_of_modules

program replacements
  use, intrinsic :: iso_fortran_env, only: event_type
  use checks
  use replacements_of_modules
  implicit none
  type pair
    integer :: first, second
  end type pair
  type text
    integer :: length = 0
    character(:), allocatable :: text
  end type text
  type holder
    integer, pointer :: p => null()
  end type holder
  type box
    integer, allocatable :: array(:)
  end type box
  character(4), save :: c(3)[*], letter[*]
  complex, save :: z(1)[*]
  type(pair), save :: pairs(3)[*]
  type(text), save :: texts[*]
  type(holder), save :: holders[*]
  type(event_type), save :: ready(2)[*]
  integer, save :: k[*], a(5)[*]
  character(:), allocatable :: d(:)[:], t
  character(4) :: copy, joined
  character(20) :: long
  integer, allocatable :: got(:), shifted(:)[:]
  integer, target :: one, other
  integer :: x(5), v(3), me, next, n

  me = this_image()
  next = right_of(me)
  k = mod(me, 3) + 1
  c = 'none'
  z = cmplx(me, -me)
  pairs = [(pair(10*n, 10*n + me), n = 1, 3)]
  a = [(100*me + n, n = 1, 5)]
  texts%text = repeat('t', me)
  texts%length = me
  allocate (character(3) :: d(2)[*])
  d = ['abc', 'xyz']
  sync all

  c(k[next])[next] = 'x'
  letter[next] = achar(iachar('a') + me)
  sync all
  ! The image before has asked this one for the subscript.
  call require(c(k) == 'x' .and. count(c == 'none') == 2, 'a coindexed subscript of a put')
  call require(letter == achar(iachar('a') + left_of(me)), 'put of ACHAR')
  call require(d(2)[next] == 'xyz', 'get of an element of deferred length')
  copy = d(1)[next]
  call require(copy == 'abc', 'get of another element of deferred length')

  call require(z(1)[next] == cmplx(next, -next), 'complex coarray of one element')
  copy = letter[next]
  call require(copy(1:1) == achar(iachar('a') + me), 'substring of a copy')
  joined = copy(1:1) // 'bc'
  sync all
  c(1)[next] = joined
  sync all
  call require(c(1) == achar(iachar('a') + left_of(me))//'bc', 'put of a concatenation')
  call require_equal(pairs(2)[next]%second, 20 + next, 'component of an element')
  x = 0
  v = [5, 1, 3]
  got = a(1:3)[next]
  x(v) = got
  call require(all(x == [100*next + 2, 0, 100*next + 3, 0, 100*next + 1]), 'vector subscript on the left')
  where (got > 100*next + 1) got = 0
  call require(all(got == [100*next + 1, 0, 0]), 'get before WHERE')
  n = texts[next]%length
  long = texts[next]%text
  t = long(1:n)
  call require(t == repeat('t', next) .and. len(t) == next, 'component of deferred length')

  one = me
  other = 2*me
  holders%p => one
  nullify (holders%p)
  allocate (holders%p)
  holders%p = other
  call require(one == me .and. holders%p == 2*me, 'nullified before ALLOCATE')
  deallocate (holders%p)
  call one_element(next)
  call starts_within(a(3), 3, next)
  allocate (shifted(5)[*])
  shifted = [(10*me + n, n = 1, 5)]
  sync all
  call shift(shifted, next)
  call scopes(next)
  event post (ready(2)[next])
  event wait (ready(2))
  sync all
contains
  !> A local coarray of a type with an allocatable component, which is deallocated at the end.
  subroutine one_element(next)
    integer, intent(in) :: next
    type(box), allocatable :: boxes(:)[:]
    allocate (boxes(1)[*])
    boxes(1)%array = [this_image(), 7]
    sync all
    call require_equal(boxes(1)[next]%array(1), next, 'component of an array of one element')
    sync all
  end subroutine one_element

  subroutine starts_within(d, n, next)
    integer, intent(in) :: n, next
    integer, intent(in) :: d(n)[*]
    call require_equal(d(1)[next], 100*next + 3, 'first element of a dummy that starts within the coarray')
    call require(all(d(1:n)[next] == 100*next + [3, 4, 5]), 'all elements of it')
  end subroutine starts_within

  subroutine shift(d, next)
    integer, allocatable, intent(inout) :: d(:)[:]
    integer, intent(in) :: next
    integer :: before
    d(4:5)[next] = d(1:2)
    sync all
    before = left_of(this_image())
    call require(all(d(1:3) == 10*this_image() + [1, 2, 3]), 'elements beside the section')
    call require(all(d(4:5) == 10*before + [1, 2]), 'section of an allocatable dummy, from another one')
    sync all
  end subroutine shift
end program replacements
