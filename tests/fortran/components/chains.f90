!> Allocatable components within allocatable components: every step of the way is followed on the other image.
program chains
  use checks
  implicit none
  integer :: which(2)
  type leaf
    integer, allocatable :: v(:,:)
    character(:), allocatable :: s
    integer :: fix(3,4)
  end type
  type mid
    type(leaf), allocatable :: l(:)
    type(leaf) :: one
  end type
  type top
    type(mid), allocatable :: m
    type(mid) :: arr(2)
  end type
  type(top) :: c[*]
  type(top), allocatable :: d(:)[:]
  integer :: me, next, i, j
  integer, allocatable :: b(:,:), b1(:)
  integer :: f(3,4), g(2), x
  me = this_image(); next = right_of(me)
  call require(.not. allocated(c[next]%m), 'm')
  sync all
  allocate (c%m)
  allocate (c%m%l(0:2))
  do i = 0, 2
    allocate (c%m%l(i)%v(-1:2, 3))
    c%m%l(i)%v = reshape([(1000*me + 100*i + j, j=1, 12)], [4, 3])
    c%m%l(i)%fix = reshape([(5000*me + 100*i + j, j=1, 12)], [3, 4])
    c%m%l(i)%s = repeat('x', me + i)
  end do
  c%m%one%fix = 7*me
  allocate (c%arr(2)%l(2))
  c%arr(2)%l(2)%fix = me
  sync all
  call require(allocated(c[next]%m), 'm2')
  call require(allocated(c[next]%m%l), 'l2')
  call require(allocated(c[next]%m%l(1)%v), 'v2')
  call require(.not. allocated(c[next]%arr(2)%l(2)%v), 'v3')
  call require(.not. allocated(c[next]%arr(1)%l), 'l3')
  b = c[next]%m%l(1)%v
  call require(all(shape(b) == [4, 3]) .and. all(b == reshape([(1000*next + 100 + j, j=1, 12)], [4, 3])), 'whole v')
  b = c[next]%m%l(2)%v(2:-1:-1, 1:3:2)
  call require(all(shape(b) == [4, 2]), 'shape sec')
  call require(b(1, 2) == 1000*next + 200 + 12, 'sec')
  x = c[next]%m%l(0)%v(0, 2)
  call require_equal(x, 1000*next + 6, 'elem')
  f = c[next]%m%l(1)%fix
  call require(all(f == reshape([(5000*next + 100 + j, j=1, 12)], [3, 4])), 'fix')
  g = c[next]%m%l(1)%fix(2, 2:4:2)
  call require(all(g == 5000*next + 100 + [5, 11]), 'fix sec')
  which = [2, 0]
  g = c[next]%m%l(1)%v(which, 2)
  call require(all(g == 1000*next + 100 + [8, 6]), 'v vec')
  b1 = c[next]%m%l(:)%fix(2,3)
  call require(size(b1) == 3 .and. all(b1 == 5000*next + [8, 108, 208]), 'parts')
  b1 = c[next]%m%l(2:0:-2)%fix(1,1)
  call require(size(b1) == 2 .and. all(b1 == 5000*next + [201, 1]), 'parts backwards')
  x = c[next]%arr(2)%l(2)%fix(3,4)
  call require_equal(x, next, 'arr')
  sync all
  c[next]%m%l(1)%v(0, :) = [-1, -2, -3]
  c[next]%m%l(1)%fix(:, 4) = me
  c[next]%m%l(0:1)%fix(1, 1) = [11, 12]
  c[next]%m%one%fix(2,2) = 99
  sync all
  call require(all(c%m%l(1)%v(0, :) == [-1, -2, -3]), 'put v')
  call require(all(c%m%l(1)%fix(:, 4) == left_of(me)), 'put fix')
  call require(c%m%l(0)%fix(1,1) == 11 .and. c%m%l(1)%fix(1,1) == 12, 'put parts')
  call require_equal(c%m%one%fix(2,2), 99, 'put one')
  sync all
  c[next]%m%l(2)%v(:, 1) = c[next]%m%l(0)%v(:, 3)
  sync all
  call require(all(c%m%l(2)%v(:, 1) == c%m%l(0)%v(:, 3)), 'sendget')
  sync all
  allocate (d(2)[*])
  allocate (d(2)%arr(1)%l(3))
  allocate (d(2)%arr(1)%l(3)%v(2,2), source=me)
  sync all
  b = d(2)[next]%arr(1)%l(3)%v
  call require(all(b == next), 'd')
  sync all
  deallocate (d)
end program
