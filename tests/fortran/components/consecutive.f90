!> Consecutive elements of array components, and others that only seem so: put and get, where the image is another one or this one.
! Not with gfortran 15 and later: pointer components have another layout in accessors.
program consecutive
  use checks
  implicit none
  type pair
    integer :: a, b
  end type
  type t
    integer, pointer :: p(:) => null()
    integer, pointer :: q(:, :) => null()
    type(pair), pointer :: r(:) => null()
    integer, allocatable :: a(:)
    integer :: f(5) = 0
    real(8), pointer :: x(:) => null()
    character(3), pointer :: c(:) => null()
  end type
  type(t) :: s[*]
  type(t) :: v(2)[*]
  integer, allocatable, target :: plain(:), square(:, :)
  type(pair), allocatable, target :: pairs(:)
  real(8), allocatable, target :: reals(:)
  character(3), allocatable, target :: words(:)
  integer, allocatable :: got(:)
  integer :: me, other, i, k
  integer :: local(-3:3), strided(6)
  real(8) :: real_local(4)
  character(3) :: some(2)
  type(pair) :: two(2)

  me = this_image()
  allocate (plain(0:1999), square(3:40, -1:30), pairs(600), reals(1000), words(800))
  do k = 0, 1
    other = merge(me, right_of(me), k == 0)
    sync all
    plain = [(1000*me + i, i=0, 1999)]
    square = reshape([(1000*me + i, i=1, size(square))], shape(square))
    pairs = [(pair(1000*me + i, -i), i=1, 600)]
    reals = [(1000*me + i, i=1, 1000)]
    do i = 1, 800
      words(i) = achar(64 + me)//achar(97 + mod(i, 26))//'.'
    end do
    s%p(0:) => plain; s%q => square; s%r => pairs; s%x => reals; s%c => words
    s%a = plain(:9); s%f = me
    v(2)%p => plain
    sync all
    ! Forms of sections.
    local = s[other]%p(5:11)
    call require(all(local == 1000*other + [5, 6, 7, 8, 9, 10, 11]), 'range')
    local(-2:0) = s[other]%p(1997:)
    call require(all(local(-2:0) == 1000*other + [1997, 1998, 1999]), 'open end')
    local(0:2) = s[other]%p(:2)
    call require(all(local(0:2) == 1000*other + [0, 1, 2]), 'open start')
    got = s[other]%p
    call require(size(got) == 2000 .and. got(1) == 1000*other .and. got(2000) == 1000*other + 1999, 'whole')
    got = s[other]%p(7:3)
    call require(size(got) == 0, 'nothing')
    got = s[other]%p(9:9)
    call require(size(got) == 1 .and. got(1) == 1000*other + 9, 'one')
    got = s[other]%a(3:4)
    call require(all(got == 1000*other + [2, 3]), 'allocatable component')
    got = v(2)[other]%p(11:12)
    call require(all(got == 1000*other + [11, 12]), 'component of an element')
    strided(1:6:2) = s[other]%p(1:3)
    call require(all(strided(1:6:2) == 1000*other + [1, 2, 3]), 'strided here')
    local(0:2) = s[other]%p(4:0:-2)
    call require(all(local(0:2) == 1000*other + [4, 2, 0]), 'backwards')
    ! Columns and rows.
    local(-3:-1) = s[other]%q(4:6, 0)
    call require(all(local(-3:-1) == 1000*other + 38 + [2, 3, 4]), 'of a column')
    local(-3:-1) = s[other]%q(4, 0:2)
    call require(all(local(-3:-1) == 1000*other + 2 + 38*[1, 2, 3]), 'of a row')
    k_th: block
      integer :: rows(38)
      rows = s[other]%q(:, 30)
      call require(rows(1) == 1000*other + 38*31 + 1 .and. rows(38) == 1000*other + 38*32, 'column')
    end block k_th
    ! Objects, and parts of them.
    two = s[other]%r(2:3)
    call require(all(two%a == 1000*other + [2, 3]) .and. all(two%b == [-2, -3]), 'objects')
    local(0:1) = s[other]%r(2:3)%b
    call require(all(local(0:1) == [-2, -3]), 'parts of objects')
    local(0:1) = s[other]%f(4:5)
    call require(all(local(0:1) == other), 'fixed component')
    ! Other types: conversions, characters, bits.
    real_local = s[other]%x(997:1000)
    call require(all(real_local == 1000*other + [997, 998, 999, 1000]), 'reals')
    local(0:1) = s[other]%x(1:2)
    call require(all(local(0:1) == 1000*other + [1, 2]), 'reals to integers')
    some = s[other]%c(799:800)
    call require(all(some == [achar(64 + other)//'t.', achar(64 + other)//'u.']), 'characters')
    ! A target with a distance between its elements.
    sync all
    s%p => pairs%b
    sync all
    local(0:2) = s[other]%p(1:3)
    call require(all(local(0:2) == [-1, -2, -3]), 'components of an array of objects')
    sync all
    s%p => plain(1::3)
    sync all
    local(0:2) = s[other]%p(1:3)
    call require(all(local(0:2) == 1000*other + [1, 4, 7]), 'every third element')
    sync all
    s%p(0:) => plain
    sync all
    ! Puts.
    s[other]%p(5:7) = [-1, -2, -3]
    s[other]%p(:1) = 7
    s[other]%q(40, 28:30) = [-4, -5, -6]
    s[other]%q(3:4, 30) = [-7, -8]
    s[other]%x(1:2) = [1, 2]
    s[other]%r(1:2)%b = [41, 42]
    s[other]%p(1990:1995) = s[other]%p(1991:1996)
    sync all
    call require(all(plain(:8) == [7, 7, 1000*me + 2, 1000*me + 3, 1000*me + 4, -1, -2, -3, 1000*me + 8]), 'put')
    call require(all(square(40, 27:) == [1000*me + 38*29, -4, -5, -6]), 'put to a row')
    call require(all(square(3:5, 30) == [-7, -8, 1000*me + 38*31 + 3]), 'put to a column')
    call require(all(reals(:3) == [1, 2, 1000*me + 3]), 'converted put')
    call require(all(pairs(:3)%b == [41, 42, -3]) .and. pairs(1)%a == 1000*me + 1, 'put to parts')
    call require(all(plain(1989:1997) == 1000*me + [1989, 1991, 1992, 1993, 1994, 1995, 1996, 1996, 1997]), 'overlapping')
    sync all
  end do
end program
