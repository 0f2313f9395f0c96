program wrong_subscript
  implicit none
  integer :: a(10), k
  k = 9 + num_images()
  sync all
  a(k) = 1
  print *, a(k)
end program wrong_subscript
