program wrong_shape
  implicit none
  real, allocatable :: u(:)[:], edges(:)
  allocate (u(10)[*], edges(12))
  edges = 1
  u = edges                         ! u has 10 elements
end program wrong_shape
