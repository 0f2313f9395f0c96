program wrong_bounds
  implicit none
  integer :: a(10)[*], last
  real(8) :: u(0:5, 0:5)[*], halo(4)
  last = 15
  a = 0
  sync all
  if (this_image() == 1 .and. num_images() == 2) a(5:last)[2] = 7
  if (this_image() == 3) halo = u(1:4, num_images() * 2)[1]
end program wrong_bounds
