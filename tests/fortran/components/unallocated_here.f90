!> What is put to a component of this image that is not allocated allocates it, as with the libraries that come with gfortran.
! Not with gfortran 15 and later: accessor functions allocate by malloc, where other images do not reach it.
program unallocated_here
  use checks
  implicit none
  type part
    integer, allocatable :: x(:), s
    real, allocatable :: m(:, :)
  end type
  type whole
    type(part), allocatable :: parts(:)
  end type
  type(part), save :: c[*]
  type(whole), save :: w[*]
  integer :: me, i
  integer, allocatable :: list(:)

  me = this_image()
  list = [(me + i, i=1, 5)]
  c[me]%x = list
  call require(allocated(c%x), 'allocated')
  call require(size(c%x) == 5, 'size')
  call require(all(c%x == list), 'values')
  c[me]%s = 42
  call require(allocated(c%s), 'scalar')
  call require(c%s == 42, 'value')
  c[me]%m = reshape([(real(i), i=1, 6)], [2, 3])
  call require(all(shape(c%m) == [2, 3]), 'shape of the matrix')
  call require(c%m(2, 3) == 6, 'matrix')
  allocate (w%parts(2))
  w[me]%parts(2)%x = list
  call require(.not. allocated(w%parts(1)%x), 'the other part')
  call require(all(w%parts(2)%x == list), 'part')
  sync all
  ! Other images reach it as any component.
  i = mod(me, num_images()) + 1
  call require(c[i]%x(2) == i + 2, 'reached')
  call require(c[i]%s == 42, 'scalar reached')
  sync all
  deallocate (c%x, c%m)
end program
