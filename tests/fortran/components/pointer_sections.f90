!> A pointer component is followed with the bounds and strides of its target, forwards and backwards.
! Not with gfortran 15 and later: pointer components have another layout in accessors.
program pointer_sections
  use checks
  implicit none
  type t
    integer, pointer :: p(:,:) => null()
    integer, pointer :: q(:) => null()
    integer, pointer :: s => null()
  end type
  type(t) :: c[*]
  integer, target, save :: a(6, 6)[*]
  integer, allocatable :: b(:,:), b1(:)
  integer :: me, next, i, x
  me = this_image(); next = right_of(me)
  a = reshape([(me*100 + i, i=1, 36)], [6, 6])
  c%p => a(1:6:2, 6:1:-2)
  c%q => a(3, :)
  c%s => a(2, 2)
  sync all
  b = c[next]%p
  call require(all(shape(b) == [3, 3]), 'shape')
  call require(b(1,1) == next*100 + 31 .and. b(3,3) == next*100 + 11, 'values')
  b = c[next]%p(3:1:-1, 2:2)
  call require(b(1,1) == next*100 + 5 + 18, 'values 2')
  b1 = c[next]%q
  call require(all(b1 == next*100 + [3, 9, 15, 21, 27, 33]), 'q')
  x = c[next]%s
  call require_equal(x, next*100 + 8, 's')
  sync all
  c[next]%q(2:6:2) = [-1, -2, -3]
  c[next]%s = 5
  sync all
  call require(all(a(3, 2:6:2) == [-1, -2, -3]) .and. a(2,2) == 5, 'put')
  allocate (c%q(3:5))
  c%q = me
  sync all
  b1 = c[next]%q(4:)
  call require(size(b1) == 2 .and. all(b1 == next), 'allocated pointer')
  sync all
  deallocate (c%q)
  call require(.not. associated(c%q), 'nullified')
  nullify (c%p)
  sync all
  sync all
end program
