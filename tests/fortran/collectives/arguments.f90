!> What collectives may be given: elements, components, pointers, allocatables, dummies of every shape, functions' hosts.
program arguments
  use checks
  implicit none
  type t
    integer :: k
    integer, allocatable :: list(:)
    real(8), pointer :: p(:) => null()
  end type
  type(t) :: object
  real(8), target :: store(10)
  integer :: a(4), me, n, total, i
  integer, allocatable :: alloc(:, :)
  integer, pointer :: scalar

  me = this_image(); n = num_images(); total = n * (n + 1) / 2
  a = me
  call co_sum(a(3))
  call require(all(a == [me, me, total, me]), 'element')
  object%k = me
  object%list = [me, 2 * me, 3 * me]
  store = me
  object%p => store(1:10:3)
  call co_sum(object%k)
  call co_sum(object%list)
  call co_sum(object%list(1))
  call co_sum(object%p)
  call require(object%k == total .and. all(object%list == [n, 2, 3] * total), 'components')
  call require(all(store([1, 4, 7, 10]) == total) .and. all(store([2, 3, 5, 6, 8, 9]) == me), 'pointer component')
  allocate (scalar, source=me)
  call co_max(scalar)
  call require_equal(scalar, n, 'pointer')
  deallocate (scalar)
  alloc = reshape([(me * i, i = 1, 6)], [2, 3])
  call co_sum(alloc)
  call require(all(alloc == reshape([(total * i, i = 1, 6)], [2, 3])), 'allocatable')
  a = me
  call explicit(a, 4)
  call assumed_size(a)
  call assumed_shape(a(4:1:-1))
  call require(all(a == [1, 1, 1, 1] * total * n**2), 'dummies')
  call optional_one()
  call optional_one(a(1))
  call require_equal(a(1), total * n**3, 'optional dummy')

contains

  subroutine explicit(x, length)
    integer, intent(in) :: length
    integer, intent(inout) :: x(length)
    call co_sum(x)
  end subroutine

  subroutine assumed_size(x)
    integer, intent(inout) :: x(2, *)
    call co_sum(x(:, 1:2))
  end subroutine

  subroutine assumed_shape(x)
    integer, intent(inout) :: x(:)
    call co_sum(x)
  end subroutine

  subroutine optional_one(x)
    integer, intent(inout), optional :: x
    if (present(x)) call co_sum(x)
  end subroutine
end program
