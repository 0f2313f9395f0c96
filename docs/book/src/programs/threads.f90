! OpenMP threads of each image put into the next image. The main thread alone synchronises the images.
program threads
  implicit none
  integer, parameter :: n = 1000
  integer :: numbers(n)[*], next, total, i

  next = mod(this_image(), num_images()) + 1
  !$omp parallel do
  do i = 1, n
    numbers(i)[next] = i
  end do
  sync all                          ! all puts of all threads have arrived

  total = sum(numbers)
  call co_sum(total, result_image=1)
  if (this_image() == 1) print '(a,i0)', 'sum: ', total
end program threads
