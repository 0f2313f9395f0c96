program wrong_unallocated
  implicit none
  integer, allocatable :: a(:)[:]
  integer :: x
  x = a(1)[1]                       ! ALLOCATE was forgotten
  print *, x
end program wrong_unallocated
