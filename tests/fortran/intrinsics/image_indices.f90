!> IMAGE_INDEX is the inverse of THIS_IMAGE, and 0 for cosubscripts that name no image: below, above, in between.
program image_indices
  use checks
  implicit none
  integer :: a[3, *], b(2)[0:1, 0:1, 0:*]
  integer, allocatable :: c[:]
  integer :: n, i, j, found, seen(0:64), sub(2)

  n = num_images()
  seen = 0
  do j = 1, n
    do i = 1, 3
      found = image_index(a, [i, j])
      call require_equal(found, merge(i + 3 * (j - 1), 0, i + 3 * (j - 1) <= n), 'image_index')
      seen(found) = seen(found) + 1
    end do
  end do
  call require(all(seen(1:n) == 1) .and. all(seen(n + 1:) == 0), 'every image once')
  ! Not constants, which compilers refuse.
  sub = [0, 1]; call require_equal(image_index(a, sub), 0, 'first cosubscript too small')
  sub = [4, 1]; call require_equal(image_index(a, sub), 0, 'first cosubscript too large')
  sub = [1, 0]; call require_equal(image_index(a, sub), 0, 'last cosubscript too small')
  sub = [1, -1]; call require_equal(image_index(a, sub), 0, 'last cosubscript negative')
  call require_equal(image_index(b, [0, 0, 0]), 1, 'lower bounds of 0')
  call require_equal(image_index(b, [1, 1, 1]), merge(8, 0, n >= 8), 'the eighth image')
  call require_equal(image_index(a, this_image(a)), this_image(), 'inverse')
  call require_equal(image_index(b, this_image(b)), this_image(), 'inverse with lower bounds')
  allocate (c[11:*])
  call require(image_index(c, [11]) == 1 .and. image_index(c, [10 + n]) == n .and. image_index(c, [11 + n]) == 0, 'allocatable')
end program
