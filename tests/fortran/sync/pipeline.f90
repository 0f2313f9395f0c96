!> A wave runs through the images by pairwise sync images: each image adds to what its neighbour sent.
program pipeline
  use checks
  implicit none
  integer, parameter :: depth = 30
  integer :: slot(depth)[*]
  integer :: me, n, k

  me = this_image(); n = num_images()
  slot = 0
  sync all
  do k = 1, depth
    if (me > 1) then
      sync images (me - 1)
      call require_equal(slot(k), 1000 * k + me - 1, 'what came along')
    end if
    if (me < n) then
      slot(k)[me + 1] = 1000 * k + me
      sync images (me + 1)
    end if
  end do
end program
