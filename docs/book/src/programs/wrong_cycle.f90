program wrong_cycle
  implicit none
  sync images (mod(this_image(), num_images()) + 1)   ! 1 waits for 2, 2 for 3, 3 for 1
end program wrong_cycle
