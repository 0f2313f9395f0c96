!> sync images with both neighbours keeps a ring in step; the neighbours may differ in lists and order.
program sync_images_ring
  use checks
  implicit none
  integer :: inbox(2)[*]
  integer :: me, next, prev, k

  me = this_image(); next = right_of(me); prev = left_of(me)
  inbox = 0
  sync all
  if (num_images() < 3) then
    ! The two neighbours are one image, or this one.
    do k = 1, 100
      inbox(1)[next] = k
      sync images (next)
      call require_equal(inbox(1), k, 'pair')
      sync images ([next])
    end do
  else
    do k = 1, 100
      inbox(1)[next] = k
      inbox(2)[prev] = -k
      if (mod(me, 2) == 0) then
        sync images ([next, prev])
      else
        sync images ([prev, next])
      end if
      call require_equal(inbox(1), k, 'from the left')
      call require_equal(inbox(2), -k, 'from the right')
      sync images ([prev, next])
    end do
  end if
end program
