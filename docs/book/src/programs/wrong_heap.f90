program wrong_heap
  implicit none
  real, allocatable :: a(:)
  integer :: last
  last = 11
  allocate (a(10), source=0.0)
  a(last) = 1.0                     ! the array ends before
  sync all
end program wrong_heap
