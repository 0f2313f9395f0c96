!> Get and put through allocatable components, which have other sizes on every image.
program allocatable_components
  use checks
  implicit none
  integer :: which(3)
  type inner
    integer, allocatable :: v(:)
    integer :: n
  end type
  type outer
    integer, allocatable :: x(:)
    real(8), allocatable :: w(:, :)
    integer, allocatable :: s
    integer :: f(4, 5)
    type(inner), allocatable :: in(:)
    type(inner) :: fixed(2)
  end type
  type(outer) :: c(3)[*]
  type(outer), allocatable :: d(:)[:]
  type(outer), allocatable :: one[:]
  integer, allocatable :: b(:)
  integer :: me, next, i, j, got(3), two(2, 2)
  real(8) :: r(2, 2)

  me = this_image(); next = right_of(me)
  allocate (d(2:5)[*], one[*])
  allocate (c(2)%x(me + 2), c(2)%w(0:me, 3), c(2)%s, d(4)%x(-me:me), one%x(3), c(1)%in(me + 1))
  c(2)%x = [(100*me + i, i=1, me + 2)]
  do j = 1, 3
    c(2)%w(:, j) = [(1000*me + 10*i + j, i=0, me)]
  end do
  c(2)%s = -me
  c(3)%f = reshape([(20*me + i, i=1, 20)], [4, 5])
  d(4)%x = [(7*me + i, i=-me, me)]
  one%x = me
  do i = 1, me + 1
    allocate (c(1)%in(i)%v(i))
    c(1)%in(i)%v = 10*me + i
    c(1)%in(i)%n = -10*me - i
  end do
  allocate (c(3)%fixed(2)%v(4))
  c(3)%fixed(2)%v = [(me*i, i=1, 4)]
  sync all

  b = c(2)[next]%x
  call require(size(b) == next + 2 .and. all(b == [(100*next + i, i=1, next + 2)]), 'whole component')
  got(1:2) = c(2)[next]%x(2:3)
  call require(all(got(1:2) == 100*next + [2, 3]), 'section of a component')
  got(1) = c(2)[next]%x(next + 2)
  call require_equal(got(1), 100*next + next + 2, 'element of a component')
  got(1) = c(2)[next]%s
  call require_equal(got(1), -next, 'scalar component')
  got = c(3)[next]%f(2, 1:3)
  call require(all(got == 20*next + [2, 6, 10]), 'array without descriptor')
  two = c(3)[next]%f(2:4:2, 4:5)
  call require(all(two == 20*next + reshape([14, 16, 18, 20], [2, 2])), 'section of it')
  r = c(2)[next]%w(0:1, 2:3)
  call require(all(r == 1000*next + reshape([2, 12, 3, 13], [2, 2])), 'rank 2')
  b = d(4)[next]%x(-1:1)
  call require(size(b) == 3 .and. all(b == 7*next + [-1, 0, 1]), 'component of an allocated coarray')
  b = one[next]%x
  call require(size(b) == 3 .and. all(b == next), 'component of a scalar coarray')
  call require_equal(sum(c(2)[next]%x), sum([(100*next + i, i=1, next + 2)]), 'in an expression')
  b = c(1)[next]%in(next + 1)%v
  call require(size(b) == next + 1 .and. all(b == 10*next + next + 1), 'component of a component')
  got(1) = c(1)[next]%in(2)%v(2)
  call require_equal(got(1), 10*next + 2, 'its element')
  b = c(1)[next]%in(:)%n
  call require(size(b) == next + 1 .and. all(b == [(-10*next - i, i=1, next + 1)]), 'of all elements')
  b = c(3)[next]%fixed(2)%v(4:1:-1)
  call require(size(b) == 4 .and. all(b == next*[4, 3, 2, 1]), 'in a fixed array, backwards')
  which = [1, 4, 4]
  b = c(3)[next]%fixed(2)%v(which)
  call require(size(b) == 3 .and. all(b == next*[1, 4, 4]), 'vector subscript')
  sync all

  c(2)[next]%x(1:2) = [me, 2*me]
  c(2)[next]%x(3) = 3*me
  c(2)[next]%s = 5*me
  c(2)[next]%w(1, 1:3) = 0.5d0*me
  d(4)[next]%x = 9*me
  c(3)[next]%fixed(2)%v(2:3) = me + 0.0
  sync all
  i = left_of(me)
  call require(all(c(2)%x(1:3) == i*[1, 2, 3]), 'put')
  call require_equal(c(2)%s, 5*i, 'put to a scalar')
  call require(all(c(2)%w(1, :) == 0.5d0*i) .and. c(2)%w(0, 1) == 1000*me + 1, 'put to a row')
  call require(all(d(4)%x == 9*i), 'put of a scalar')
  call require(all(c(3)%fixed(2)%v == [me, i, i, 4*me]), 'put, converted')
  sync all

  c(2)[next]%x(1) = c(2)[me]%x(2)
  sync all
  d(4)[next]%x(-1:1) = c(2)[me]%x(3:1:-1)
  sync all
  call require_equal(c(2)%x(1), 2*left_of(i), 'copied between images')
  sync all
  deallocate (d, one)
end program
