program wrong_allocate
  implicit none
  real, allocatable :: u(:)[:]

  allocate (u(10 + this_image())[*])   ! all images must give the same bounds
  deallocate (u)
end program wrong_allocate
