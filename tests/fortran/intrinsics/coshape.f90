!> COSHAPE: the extents of all codimensions, of static, allocatable and dummy coarrays, and of another kind.
! Not with gfortran before 16: no COSHAPE.
program coshapes
  use checks
  implicit none
  integer :: a[3, 2:4, *]
  real, allocatable :: b(:)[:]
  integer :: n

  n = num_images()
  call require(all(coshape(a) == [3, 3, (n + 8) / 9]), 'static')
  call require(kind(coshape(a, kind=8)) == 8, 'kind 8')
  allocate (b(5)[-1:*])
  call require(size(coshape(b)) == 1 .and. all(coshape(b) == [n]), 'allocatable')
end program
