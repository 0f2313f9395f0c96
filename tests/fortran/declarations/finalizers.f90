!> Finalizers of objects in coarrays: called by DEALLOCATE, once for each image's object.
module traced
  implicit none
  integer :: gone = 0
  type t
    integer :: k = 0
  contains
    final :: finish
  end type

contains

  subroutine finish(x)
    type(t), intent(inout) :: x
    gone = gone + x%k
  end subroutine
end module

program finalizers
  use checks
  use traced
  implicit none
  type(t), allocatable :: a[:]
  integer :: me

  me = this_image()
  allocate (a[*])
  a%k = 100 * me
  sync all
  call require_equal(a[right_of(me)]%k, 100 * right_of(me), 'value')
  sync all
  gone = 0
  deallocate (a)
  call require_equal(gone, 100 * me, 'by DEALLOCATE')
end program
