! Transposes a matrix whose columns are divided among the images: each image gets a block from each other one.
program solution_transpose
  implicit none
  integer, parameter :: n = 12
  integer, allocatable :: a(:, :)[:], b(:, :)
  integer :: me, images, columns, image, i, j, at

  me = this_image()
  images = num_images()
  if (mod(n, images) /= 0) error stop 'solution_transpose: the number of images has to divide 12'
  columns = n / images
  allocate (a(n, columns)[*], b(n, columns))
  do j = 1, columns
    a(:, j) = [(1000 * i + (me - 1) * columns + j, i=1, n)]
  end do
  sync all
  do i = 0, images - 1
    image = mod(me - 1 + i, images) + 1 ! each image begins with another one
    at = (image - 1) * columns
    b(at + 1:at + columns, :) = transpose(a((me - 1) * columns + 1:me * columns, :)[image])
  end do
  do j = 1, columns
    if (any(b(:, j) /= [(1000 * ((me - 1) * columns + j) + i, i=1, n)])) error stop 'solution_transpose: wrong'
  end do
  sync all
  if (me == 1) print '(a)', 'transposed'
end program solution_transpose
