program wrong_bounds
  implicit none
  integer :: a(10)[*], last
  last = 15
  a = 0
  sync all
  if (this_image() == 1) a(5:last)[2] = 7
end program wrong_bounds
