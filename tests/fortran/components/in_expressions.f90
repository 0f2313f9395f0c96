!> Components of other images as operands and arguments of intrinsic and other procedures.
program in_expressions
  use checks
  implicit none
  type t
    integer, allocatable :: x(:)
    integer, allocatable :: m(:, :)
  end type
  type(t), allocatable :: c(:)[:]
  integer :: me, next, i, k

  me = this_image(); next = right_of(me)
  allocate (c(-1:1)[*])
  do i = -1, 1
    allocate (c(i)%x(3), source=me*10 + i)
    allocate (c(i)%m(i + 2, 2), source=i)
  end do
  sync all
  k = sum(c(0)[next]%x)
  call require_equal(k, 30*next, 'sum')
  k = maxval(c(1)[next]%m(2:3, :)) + c(-1)[next]%x(2)
  call require_equal(k, 10*next, 'sum of two')
  call require(all(c(0)[next]%x + 1 == 10*next + 1), 'in a condition')
  k = dot_product(c(0)[next]%x, c(1)[next]%x)
  call require_equal(k, 3*10*next*(10*next + 1), 'dot_product')
  call take(c(1)[next]%x, 10*next + 1)
  sync all
  call clear(c(0))
  call require(.not. allocated(c(0)%x) .and. .not. allocated(c(0)%m), 'INTENT(OUT)')
  sync all
  call require(.not. allocated(c(0)[next]%x) .and. allocated(c(1)[next]%x), 'INTENT(OUT), seen by others')
  sync all
  deallocate (c)

contains

  subroutine take(x, value)
    integer, intent(in) :: x(:), value
    call require(size(x) == 3 .and. all(x == value), 'argument')
  end subroutine

  subroutine clear(object)
    type(t), intent(out) :: object
  end subroutine
end program
