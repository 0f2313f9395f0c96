!> Allocatable and pointer components that are scalars, plain and of derived type, here and deeper down.
program scalars
  use checks
  implicit none
  type pair
    integer :: a
    real(8) :: b
  end type
  type t
    integer, allocatable :: i
    type(pair), allocatable :: p
    complex(8), pointer :: z => null()
  end type
  type(t) :: c[*]
  integer :: me, next, prev, i
  real(8) :: x
  complex(8) :: z

  me = this_image(); next = right_of(me); prev = left_of(me)
  call require(.not. allocated(c[next]%i) .and. .not. allocated(c[next]%p), 'not allocated')
  sync all
  allocate (c%i, c%p, c%z)
  c%i = me; c%p%a = 2 * me; c%p%b = 0.5d0 * me; c%z = cmplx(me, -me, 8)
  sync all
  call require(allocated(c[next]%i) .and. allocated(c[next]%p), 'allocated')
  i = c[next]%i; call require_equal(i, next, 'integer')
  i = c[next]%p%a; call require_equal(i, 2 * next, 'component of a component')
  x = c[next]%p%b; call require(x == 0.5d0 * next, 'another component of a component')
  z = c[next]%z; call require(z == cmplx(next, -next, 8), 'pointer')
  sync all
  c[next]%i = -me; c[next]%p%a = -me; c[next]%p%b = -me; c[next]%z = me
  sync all
  call require(c%i == -prev .and. c%p%a == -prev .and. c%p%b == -prev .and. c%z == prev, 'put')
end program
