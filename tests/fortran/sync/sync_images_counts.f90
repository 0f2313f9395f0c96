!> Executions of sync images pair up one by one for each pair of images, whatever else those images do.
program sync_images_counts
  use checks
  implicit none
  integer :: value[*]
  integer :: me, n, k, other

  me = this_image(); n = num_images()
  value = 0
  sync all
  ! Image 1 meets each other image in turn, other-many times; no third image may be needed.
  if (me == 1) then
    do other = 2, n
      do k = 1, 5 * other
        value[other] = k
        sync images (other)
        sync images (other)
        call require_equal(value[other], -k, 'answer')
      end do
    end do
  else
    do k = 1, 5 * me
      sync images (1)
      call require_equal(value, k, 'question')
      value = -k
      sync images (1)
    end do
  end if
  sync all

  ! Image 1 runs ahead of 2 through meetings with others, then catches up.
  if (n >= 3) then
    if (me == 1) then
      sync images (3)
      sync images (2)
      sync images (3)
      sync images (2)
    else if (me == 2) then
      sync images (1)
      sync images (1)
    else if (me == 3) then
      sync images (1)
      sync images (1)
    end if
  end if
end program
