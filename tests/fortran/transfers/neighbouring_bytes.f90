!> All images write neighbouring bytes of one image at once, and none of them is lost.
program neighbouring_bytes
  use checks
  implicit none
  integer, parameter :: rounds = 500
  integer(1), allocatable :: bytes(:)[:]
  integer :: me, n, k, i

  me = this_image(); n = num_images()
  allocate (bytes(rounds * n)[*])
  bytes = 0
  sync all
  do k = 0, rounds - 1
    bytes(k * n + me)[1] = int(me, 1)
  end do
  sync all
  if (me == 1) then
    do k = 0, rounds - 1
      call require(all(bytes(k * n + 1:k * n + n) == [(int(i, 1), i = 1, n)]), 'a byte was lost')
    end do
  end if
end program
