!> The threads of OpenMP regions ask which image they are in, all at the same time.
program threads_ask
  use checks
  implicit none
  integer :: me, n, k, wrong

  me = this_image(); n = num_images(); wrong = 0
  !$omp parallel do num_threads(4) reduction(+:wrong)
  do k = 1, 200000
    if (this_image() /= me .or. num_images() /= n) wrong = wrong + 1
  end do
  !$omp end parallel do
  call require(wrong == 0, 'another image')
  sync all
end program
