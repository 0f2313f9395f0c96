! Images with threads: each image computes a part of an integral with its threads, and all images add up.
program hybrid
  use omp_lib, only: omp_get_max_threads
  implicit none
  integer, parameter :: n = 1000000
  real(8) :: total
  integer :: i

  total = 0
  !$omp parallel do reduction(+:total)
  do i = this_image(), n, num_images()
    total = total + 4 / (1 + ((i - 0.5d0) / n)**2)
  end do
  call co_sum(total, result_image=1)
  if (this_image() == 1) print '(3(a,i0),a,f8.6)', 'pi by ', num_images(), ' images with ', omp_get_max_threads(), &
    ' threads each, ', n, ' points: ', total / n
end program hybrid
