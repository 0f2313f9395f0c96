!> Pointer components: allocated ones, and those that point to parts of coarrays.
! Not with gfortran 15 and later: pointer components have another layout in accessors.
program pointers
  use checks
  implicit none
  type t
    integer, pointer :: p(:) => null()
    integer, pointer :: q => null()
  end type
  type(t) :: c[*]
  integer, target :: a(10)[*]
  integer, allocatable :: b(:)
  integer :: me, next, i, got

  me = this_image(); next = right_of(me)
  a = [(10*me + i, i=1, 10)]
  c%p => a(2:10:4)
  c%q => a(7)
  sync all
  b = c[next]%p
  call require(size(b) == 3 .and. all(b == 10*next + [2, 6, 10]), 'part of a coarray')
  got = c[next]%q
  call require_equal(got, 10*next + 7, 'element of a coarray')
  sync all
  c[next]%p(2) = -me
  sync all
  call require_equal(a(6), -left_of(me), 'put')
  sync all
  allocate (c%p(4))
  c%p = me
  sync all
  got = c[next]%p(4)
  call require_equal(got, next, 'allocated')
  sync all
  deallocate (c%p)
end program
