!> A polymorphic component is allocated by one image alone, and its coarray stays what it is.
! Not with gfortran 15 and later: coindexed components beside polymorphic ones crash it.
program polymorphic
  use checks
  implicit none
  type base
    integer :: n = 0
  end type
  type, extends(base) :: longer
    integer :: more(1000) = 0
  end type
  type holder
    class(base), allocatable :: p
    integer, allocatable :: a(:)
    integer :: k = 0
  end type
  type(holder) :: h[*]
  integer, allocatable :: b(:)
  integer :: me, next, got

  me = this_image(); next = right_of(me)
  h%a = [me, 2*me, 3*me]
  h%k = -me
  allocate (longer :: h%p)
  h%p%n = 3*me
  select type (p => h%p)
  type is (longer)
    p%more = me
    call require(all(p%more == me) .and. p%n == 3*me, 'of the extended type')
  class default
    call require(.false., 'type')
  end select
  sync all
  b = h[next]%a
  call require(size(b) == 3 .and. all(b == next*[1, 2, 3]), 'component beside it')
  got = h[next]%k
  call require_equal(got, -next, 'plain component')
  sync all
end program
