program wrong_memory
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  real, allocatable :: a(:)[:]
  allocate (a(10_int64**15)[*])     ! 4 PB on each image
end program wrong_memory
