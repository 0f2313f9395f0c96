!> Objects with allocatable coarray components: allocated together, other objects of the type have their own, also nested.
module grids
  implicit none
  type grid
    integer :: n
    real(8), allocatable :: field(:, :)[:]
    integer, allocatable :: halo(:)[:, :]
  end type
  type pair
    type(grid) :: first, second
  end type

contains

  subroutine make(g, n)
    type(grid), intent(inout) :: g
    integer, intent(in) :: n
    g%n = n
    allocate (g%field(n, 2)[*], g%halo(n)[2, *])
    g%field = this_image(); g%halo = -this_image()
    sync all
  end subroutine
end module

program coarray_components
  use checks
  use grids
  implicit none
  type(grid) :: g
  type(pair) :: p
  integer :: me, next

  me = this_image(); next = right_of(me)
  call require(.not. allocated(g%field), 'at the start')
  call make(g, 5)
  call make(p%first, 3)
  call make(p%second, 4)
  call require(g%field(5, 2)[next] == next, 'get')
  call require_equal(g%halo(1)[1 + mod(next - 1, 2), 1 + (next - 1) / 2], -next, 'corank 2')
  sync all
  g%field(2, :)[next] = 0.5d0 * me
  p%second%field(4, 1)[next] = -me
  sync all
  call require(all(g%field(2, :) == 0.5d0 * left_of(me)) .and. all(g%field(1, :) == me), 'put')
  call require(p%second%field(4, 1) == -left_of(me) .and. all(p%first%field == me), 'nested')
  deallocate (g%field, g%halo)
  call require(.not. allocated(g%field) .and. allocated(p%first%field), 'deallocated')
  call make(g, 2)
  call require(g%field(2, 1)[next] == next, 'allocated again')
  sync all
  call local_object()
  call local_object()

contains

  subroutine local_object()
    type(grid) :: h
    call require(.not. allocated(h%field), 'local object')
    call make(h, 7)
    call require(h%field(7, 1)[next] == next, 'component of a local object')
    sync all
  end subroutine
end program
