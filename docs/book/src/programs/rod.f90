! The mean of a rod's temperature after some steps, with coarrays.
program rod
  implicit none
  integer, parameter :: n = 1000, steps = 200
  real(8), allocatable :: u(:)[:], new(:)
  integer, allocatable :: neighbours(:)
  real(8) :: mean
  integer :: me, images, i, step, first, last, cells, of_left

  me = this_image()
  images = num_images()
  neighbours = pack([me - 1, me + 1], [me > 1, me < images])
  first = (me - 1) * n / images + 1
  last = me * n / images
  cells = last - first + 1
  of_left = first - 1 - (me - 2) * n / images   ! cells of the image to the left
  allocate (u(0:(n - 1) / images + 2)[*], new(cells))
  u = 0
  u(1:cells) = [(merge(1d0, 0d0, i <= n / 2), i=first, last)]

  do step = 1, steps
    sync images (neighbours)          ! the neighbours have read their halos
    if (me > 1) u(of_left + 1)[me - 1] = u(1)
    if (me < images) u(0)[me + 1] = u(cells)
    sync images (neighbours)          ! the values of the neighbours have arrived
    new = u(1:cells) + 0.25d0 * (u(0:cells - 1) - 2 * u(1:cells) + u(2:cells + 1))
    u(1:cells) = new
  end do

  mean = sum(u(1:cells)) / n
  call co_sum(mean, result_image=1)
  if (me == 1) print '(a,f8.6)', 'mean temperature: ', mean
end program rod
