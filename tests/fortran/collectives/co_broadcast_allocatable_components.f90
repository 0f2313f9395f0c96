!> co_broadcast of objects with allocatable components of the same shape on all images: their values travel, too.
program co_broadcast_allocatable_components
  use checks
  implicit none
  type t
    integer :: k
    real(8), allocatable :: v(:)
    integer, allocatable :: m(:, :)
    integer, allocatable :: s
    logical :: last
  end type
  type(t) :: x
  integer :: me, root, i

  me = this_image()
  allocate (x%v(20), x%m(3, 0:4), x%s)
  do root = 1, num_images()
    x%k = me; x%v = [(0.5d0 * me * i, i = 1, 20)]; x%m = reshape([(100 * me + i, i = 1, 15)], [3, 5]); x%s = -me
    x%last = me == num_images()
    call co_broadcast(x, root)
    call require(x%k == root .and. (x%last .eqv. root == num_images()), 'plain components')
    call require(all(x%v == [(0.5d0 * root * i, i = 1, 20)]), 'array component')
    call require(all(x%m == reshape([(100 * root + i, i = 1, 15)], [3, 5])), 'matrix component')
    call require(lbound(x%m, 2) == 0 .and. size(x%v) == 20, 'bounds')
    call require_equal(x%s, -root, 'scalar component')
  end do
end program
