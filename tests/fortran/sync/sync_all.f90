!> sync all orders segments: what one image did before it, every image sees after it, many times over.
program sync_all
  use checks
  implicit none
  integer :: turn[*], seen(64)[*]
  integer :: me, n, k, image

  me = this_image(); n = num_images()
  turn = 0
  sync all
  do k = 1, 100
    ! Each image in turn is the writer; all others read.
    image = modulo(k, n) + 1
    if (me == image) turn = k
    sync all
    call require_equal(turn[image], k, 'value of the writer')
    sync all
  end do
  do k = 1, 20
    seen(me)[right_of(me)] = k
    sync all
    call require_equal(seen(left_of(me)), k, 'value put before')
    sync all
  end do
end program
