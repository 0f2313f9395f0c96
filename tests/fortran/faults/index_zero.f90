!> Image index 0, in brackets.
program index_zero
  implicit none
  integer :: x(4)[*], none
  none = num_images() - num_images()
  x = 0
  sync all
  x(3)[none] = 1
end program
