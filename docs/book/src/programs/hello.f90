program hello
  implicit none
  integer :: total
  print '(a,i0,a,i0)', 'hello from image ', this_image(), ' of ', num_images()
  total = this_image()
  call co_sum(total)
  sync all
  if (this_image() == 1) print '(a,i0)', 'sum of the image indices: ', total
end program hello
