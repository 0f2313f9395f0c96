!> Coarrays in submodules: those of the module, as arguments of separate module procedures, and of a submodule itself.
! Not with gfortran 15 and later: puts of procedures to coarrays of their module do not link.
module interface_only
  implicit none
  integer :: shared(4)[*] = 1

  interface
    module subroutine put_shared(image, value)
      integer, intent(in) :: image, value
    end subroutine
    module subroutine put_argument(x, image, value)
      integer, intent(inout) :: x(:)[*]
      integer, intent(in) :: image, value
    end subroutine
    module subroutine put_own(image, value)
      integer, intent(in) :: image, value
    end subroutine
    module integer function own_of(image)
      integer, intent(in) :: image
    end function
  end interface
end module

submodule (interface_only) of_the_module
  implicit none

contains

  module subroutine put_shared(image, value)
    integer, intent(in) :: image, value
    shared(2)[image] = value
  end subroutine

  module subroutine put_argument(x, image, value)
    integer, intent(inout) :: x(:)[*]
    integer, intent(in) :: image, value
    x(size(x))[image] = value
  end subroutine
end submodule

! gfortran 12 to 16 crash when a submodule with coarrays of its own uses those of the module.
submodule (interface_only) with_its_own
  implicit none
  integer :: own[*]

contains

  module subroutine put_own(image, value)
    integer, intent(in) :: image, value
    own[image] = value
  end subroutine

  module integer function own_of(image)
    integer, intent(in) :: image
    own_of = own[image]
  end function
end submodule

program submodules
  use checks
  use interface_only
  implicit none
  integer :: a(5)[*], me, next, prev

  me = this_image(); next = right_of(me); prev = left_of(me); a = 0
  sync all
  call put_shared(next, me)
  call put_argument(a, next, 7 * me)
  call put_own(next, 10 * me)
  sync all
  call require(all(shared == [1, prev, 1, 1]), 'coarray of the module')
  call require_equal(own_of(me), 10 * prev, 'coarray of the submodule')
  call require_equal(own_of(next), 10 * me, 'coarray of the submodule elsewhere')
  call require(all(a == [0, 0, 0, 0, 7 * prev]), 'argument')
end program
