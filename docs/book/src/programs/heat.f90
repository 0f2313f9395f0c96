! Heat conduction on a square plate whose edges are kept at 0.
! Each image holds some columns of the grid, and a copy of the neighbours' columns on either side.
program heat
  implicit none
  integer, parameter :: n = 96        ! interior points in each direction
  integer, parameter :: steps = 500
  real, parameter :: pi = 3.1415927
  real, allocatable :: u(:, :)[:]     ! 0:n+1 rows, 0:columns+1 columns
  real, allocatable :: new(:, :)
  integer, allocatable :: neighbours(:)
  integer :: me, images, columns, first, i, j, step
  real :: mean

  me = this_image()
  images = num_images()
  if (mod(n, images) /= 0) error stop 'heat: the number of images has to divide 96'
  columns = n / images
  first = (me - 1) * columns          ! columns of the grid to the left of this image's

  allocate (u(0:n + 1, 0:columns + 1)[*], source=0.0)
  allocate (new(n, columns))
  do j = 1, columns
    do i = 1, n
      u(i, j) = sin(pi * i / (n + 1)) * sin(pi * (first + j) / (n + 1))
    end do
  end do
  neighbours = [integer ::]
  if (me > 1) neighbours = [neighbours, me - 1]
  if (me < images) neighbours = [neighbours, me + 1]

  do step = 1, steps
    sync images (neighbours)          ! the neighbours have read their copies
    if (me > 1) u(:, columns + 1)[me - 1] = u(:, 1)
    if (me < images) u(:, 0)[me + 1] = u(:, columns)
    sync images (neighbours)          ! the columns of the neighbours have arrived
    do j = 1, columns
      do i = 1, n
        new(i, j) = u(i, j) + 0.2 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4 * u(i, j))
      end do
    end do
    u(1:n, 1:columns) = new
  end do

  mean = sum(u(1:n, 1:columns)) / n**2
  call co_sum(mean, result_image=1)
  if (me == 1) print '(a,i0,a,f6.4)', 'mean temperature after ', steps, ' steps: ', mean
end program heat
