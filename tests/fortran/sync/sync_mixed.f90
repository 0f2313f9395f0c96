!> sync all and sync images do not take each other's arrivals, and images may be late.
program sync_mixed
  use checks
  implicit none
  integer :: paired[*], ring[*]
  integer :: me, n, k, other
  real :: work

  me = this_image(); n = num_images()
  paired = 0; ring = 0
  sync all
  do k = 1, 40
    other = partner(me, k)
    ! Another image is late each time.
    if (modulo(k, n) + 1 == me) then
      work = 0
      do while (work < 2e5)
        work = work + 1
      end do
    end if
    paired[other] = k
    sync images (other)
    call require_equal(paired, k, 'after sync images')
    sync images (other)
    ring[right_of(me)] = -k
    sync all
    call require_equal(ring, -k, 'after sync all')
    sync all
  end do

contains

  !> Pairs neighbours, (1,2) (3,4)... or (2,3) (4,5)..., by turns; an image without partner has itself.
  integer function partner(image, turn)
    integer, intent(in) :: image, turn
    partner = image + merge(1, -1, modulo(image + turn, 2) == 0)
    if (partner < 1 .or. partner > num_images()) partner = image
  end function
end program
