!> co_broadcast of objects of a type that coarrays have, too: beside its allocatable components lie the compiler's marks for
!> them, which belong to their image.
module objects
  implicit none
  type t
    integer, allocatable :: s
    integer, allocatable :: v(:)
    integer :: k
  end type
  type pair
    integer :: k, l
  end type
end module

program co_broadcast_components_of_coarrays
  use checks
  use objects
  implicit none
  type(t) :: own, shared[*]
  type(t), allocatable :: later[:]
  type(pair), target :: many(10)
  integer, pointer :: p(:)
  integer :: me, n, root, i

  me = this_image(); n = num_images()
  allocate (later[*])
  allocate (own%s, own%v(3), shared%s, shared%v(3), later%s, later%v(3))
  do root = 1, n
    call broadcast(own, root)
    call broadcast(shared, root)
    call broadcast(later, root)
  end do
  ! The components are still those of their own image.
  shared%s = 100 * me; shared%v = 200 * me; later%s = 300 * me
  sync all
  call require_equal(shared[n]%s, 100 * n, 'scalar of a coarray')
  call require_equal(shared[1]%v(3), 200, 'array of a coarray')
  call require_equal(later[n]%s, 300 * n, 'scalar of an allocated coarray')
  sync all
  shared[mod(me, n) + 1]%s = me
  sync all
  call require_equal(shared%s, merge(n, me - 1, me == 1), 'put')
  deallocate (shared%s, later%s)
  allocate (shared%s, source = me)
  call require_equal(shared%s, me, 'allocated again')

  ! Elements of something larger are no component of an object.
  many%k = [(me * i, i = 1, 10)]; many%l = me
  p => many%l
  call disturbed(p, 1)
  call require(all(many%l == 1) .and. all(many%k == [(me * i, i = 1, 10)]), 'pointer')

contains

  subroutine broadcast(x, root)
    type(t), intent(inout) :: x
    integer, intent(in) :: root
    integer :: before(1000)
    ! What the stack holds is no part of it.
    before = me
    call co_max(before)
    call require(all(before == n), 'before')
    call disturbed(before(1:999:2), root)
    x%s = me; x%v = 10 * me; x%k = -me
    call co_broadcast(x, root)
    call require_equal(x%s, root, 'scalar component')
    call require(all(x%v == 10 * root), 'array component')
    call require_equal(x%k, -root, 'plain component')
  end subroutine

  ! Leaves the description of another vector after.
  subroutine disturbed(x, root)
    integer, intent(inout) :: x(:)
    integer, intent(in) :: root
    call co_broadcast(x, root)
  end subroutine

end program
