!> Polymorphic allocatable coarrays: their components, from and to other images.
program polymorphic
  use checks
  implicit none
  type shape
    integer :: id
    real(8) :: area
  end type
  type, extends(shape) :: circle
    real(8) :: radius
  end type
  class(shape), allocatable :: s[:], list(:)[:]
  integer :: me, next, prev, got

  me = this_image(); next = right_of(me); prev = left_of(me)
  allocate (circle :: s[*])
  allocate (shape :: list(4)[*])
  s%id = me; list%id = -me
  sync all
  got = s[next]%id
  call require_equal(got, next, 'get of a component of a scalar')
  got = list(3)[next]%id
  call require_equal(got, -next, 'get of a component of an element')
  sync all
  s[next]%area = 2d0 * me
  list(2)[next]%area = 3d0 * me
  sync all
  call require(s%area == 2d0 * prev .and. s%id == me, 'put to a component of a scalar')
  call require(list(2)%area == 3d0 * prev .and. list(2)%id == -me, 'put to a component of an element')
  deallocate (s, list)
end program
