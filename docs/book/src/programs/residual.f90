! Until nothing changes any more: all images leave the loop in the same step, because co_max gives all of them the same value.
program residual
  implicit none
  integer, parameter :: cells = 8
  real(8) :: u(0:cells + 1)[*], new(cells), change
  integer, allocatable :: neighbours(:)
  integer :: me, images, step

  me = this_image()
  images = num_images()
  neighbours = pack([me - 1, me + 1], [me > 1, me < images])
  u = 0
  if (me == 1) u(0) = 1
  do step = 1, 100000
    sync images (neighbours)          ! co_max orders nothing
    if (me > 1) u(cells + 1)[me - 1] = u(1)
    if (me < images) u(0)[me + 1] = u(cells)
    sync images (neighbours)
    new = (u(0:cells - 1) + u(2:cells + 1)) / 2
    change = maxval(abs(new - u(1:cells)))
    u(1:cells) = new
    call co_max(change)
    if (change < 1d-9) exit
  end do
  if (me == images) print '(a,f6.4)', 'the last cell: ', u(cells)
end program residual
