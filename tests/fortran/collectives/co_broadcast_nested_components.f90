!> co_broadcast of objects within objects, both with allocatable components: each image keeps the memory of its own.
module nested_objects
  implicit none
  type inner
    integer, allocatable :: v(:)
    integer :: k = 4
  end type
  type at_end
    integer :: k
    integer, allocatable :: s
  end type
  type middle
    type(inner) :: only
  end type
  type outer
    integer :: i = 0
    type(inner), allocatable :: list(:)
    type(inner) :: one
    type(inner) :: some(3)
    type(at_end) :: last(2)
    type(middle) :: deep
  end type
  type plain
    integer :: k
    integer(8) :: words(3)
  end type
end module

program co_broadcast_nested_components
  use checks
  use nested_objects
  implicit none
  type(outer) :: x, absent
  type(outer) :: shared[*]
  type(plain) :: p
  integer :: me, n, root

  me = this_image(); n = num_images()
  do root = 1, n
    call make(x)
    call broadcast(x, root)
    call verify(x)
    absent%i = me
    call broadcast(absent, root)
    call require(.not. (allocated(absent%list) .or. allocated(absent%one%v) .or. allocated(absent%last(2)%s)), 'absent')
    call require_equal(absent%i, root, 'number beside absent components')
    ! A component by itself, and then the object, is a broadcast of both.
    p%k = me; p%words = me
    call co_broadcast(p%k, root)
    p%k = -me
    call co_broadcast(p, root)
    call require(p%k == -root .and. all(p%words == root), 'plain object')
    call make(shared)
    call broadcast(shared, root)
    call verify(shared)
    sync all
    call require_equal(shared[mod(me, n) + 1]%some(2)%v(2), 9 * root + 2, 'the component of another image')
    sync all
  end do
  ! What was kept is freed where it was allocated.
  deallocate (x%one%v, x%list, x%last(1)%s, shared%some(2)%v)

contains

  subroutine broadcast(x, root)
    type(outer), intent(inout) :: x
    integer, intent(in) :: root
    call co_broadcast(x, root)
  end subroutine

  subroutine make(x)
    type(outer), intent(inout) :: x
    integer :: j
    ! The blocks of images are at other addresses.
    integer, allocatable :: between(:)
    if (.not. allocated(x%list)) then
      allocate (between(13 * me))
      allocate (x%list(2))
      allocate (x%list(1)%v(5), x%list(2)%v(0:6), x%one%v(7), x%some(2)%v(2), x%last(1)%s, x%last(2)%s, x%deep%only%v(4))
    end if
    x%i = me; x%list(1)%v = 2 * me; x%list(2)%v = 3 * me; x%list%k = [me, -me]
    x%one%v = 4 * me; x%one%k = 5 * me
    x%some(2)%v = [(9 * me + j, j = 1, 2)]; x%some%k = [(6 * me + j, j = 1, 3)]
    x%last%k = me
    do j = 1, 2
      x%last(j)%s = 10 * me + j
    end do
    x%deep%only%v = 7 * me; x%deep%only%k = 8 * me
  end subroutine

  subroutine verify(x)
    type(outer), intent(in) :: x
    integer :: j
    call require_equal(x%i, root, 'number')
    call require(all(x%list(1)%v == 2 * root) .and. all(x%list(2)%v == 3 * root), 'components of an allocatable component')
    call require(size(x%list(1)%v) == 5 .and. lbound(x%list(2)%v, 1) == 0 .and. all(x%list%k == [root, -root]), 'shapes')
    call require(all(x%one%v == 4 * root) .and. x%one%k == 5 * root, 'component of a component')
    call require(all(x%some(2)%v == [(9 * root + j, j = 1, 2)]) .and. all(x%some%k == [(6 * root + j, j = 1, 3)]), 'array')
    call require(.not. (allocated(x%some(1)%v) .or. allocated(x%some(3)%v)), 'not allocated')
    call require(all(x%last%k == root) .and. x%last(1)%s == 10 * root + 1 .and. x%last(2)%s == 10 * root + 2, 'scalars')
    call require(all(x%deep%only%v == 7 * root) .and. x%deep%only%k == 8 * root, 'two levels')
  end subroutine
end program
