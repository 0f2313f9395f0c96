!> ALLOCATE and DEALLOCATE of coarrays: bounds, types, scalars, stat=, addresses of the others.
program basics
  use checks
  use, intrinsic :: iso_c_binding, only: c_loc, c_intptr_t
  implicit none
  type cell
    integer :: n
    real(8) :: w(3)
  end type
  integer, allocatable, target :: a(:, :)[:]
  real(8), allocatable, target :: scalar[:]
  type(cell), allocatable :: cells(:)[:]
  character(7), allocatable :: names(:)[:]
  complex(8), allocatable :: z(:)[:]
  integer :: me, next, prev, status, got(3, 2)
  character(50) :: message

  me = this_image(); next = right_of(me); prev = left_of(me)
  call require(.not. allocated(a), 'allocated before')
  status = 77; message = 'untouched'
  allocate (a(2:4, 0:1)[*], stat=status, errmsg=message)
  call require(status == 0 .and. message == 'untouched', 'stat and errmsg of allocate')
  allocate (scalar[*], cells(5)[*], names(3)[2:*], z(2)[*])
  call require(allocated(a) .and. allocated(scalar), 'allocated after')
  call require(all(lbound(a) == [2, 0]) .and. all(ubound(a) == [4, 1]), 'bounds')
  call require(modulo(transfer(c_loc(a), 1_c_intptr_t), 64_c_intptr_t) == 0, 'alignment of an array')
  call require(modulo(transfer(c_loc(scalar), 1_c_intptr_t), 64_c_intptr_t) == 0, 'alignment of a scalar')
  a = me; scalar = me; cells = cell(me, [1, 2, 3]); names = 'here'; z = me
  sync all
  a(:, 1)[next] = -me
  scalar[next] = 0.5d0 * me
  cells(4)[next]%w(2) = me
  names(2)[next + 1] = 'there'
  z(2)[next] = cmplx(me, 1, 8)
  sync all
  call require(all(a(:, 0) == me) .and. all(a(:, 1) == -prev), 'array')
  call require(scalar == 0.5d0 * prev, 'scalar')
  call require(cells(4)%w(2) == prev .and. cells(4)%n == me .and. cells(5)%w(2) == 2, 'derived type')
  call require(all(names == ['here   ', 'there  ', 'here   ']), 'characters')
  call require(z(1) == me .and. z(2) == cmplx(prev, 1, 8), 'complex')
#if __GNUC__ < 15
  ! It crashes later versions, but only here.
  got = a(:, :)[next]
  call require(all(got(:, 2) == -me), 'get')
#endif
  status = 77
  deallocate (a, stat=status)
  call require_equal(status, 0, 'stat of deallocate')
  deallocate (scalar, cells, names, z)
  call require(.not. allocated(a) .and. .not. allocated(scalar), 'allocated after deallocate')
  ! Errors that the compiler finds leave everything as it was.
  deallocate (a, stat=status)
  call require(status /= 0, 'stat of deallocate of what is not allocated')
  allocate (a(1, 1)[*])
  allocate (a(2, 2)[*], stat=status)
  call require(status /= 0 .and. size(a) == 1, 'stat of allocate of what is allocated')
end program
