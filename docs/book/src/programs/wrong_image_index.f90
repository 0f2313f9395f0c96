program wrong_image_index
  implicit none
  integer :: n[*]
  n[num_images() + 1] = 7           ! there is no such image
end program wrong_image_index
