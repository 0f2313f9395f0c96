!> CRITICAL orders segments: who enters sees what the one before has put, whatever its size and wherever it lies.
program critical_orders
  use checks
  implicit none
  integer, parameter :: length = 500
  integer :: log(length)[*], place[*], k, at, got(length), n

  n = num_images(); log = 0; place = 0
  sync all
  do k = 1, 10
    critical
      at = place[1]
      got = log(:)[n]
      call require(all(got(:at) > 0) .and. all(got(at + 1:) == 0), 'what the others have put')
      log(at + 1)[n] = this_image()
      place[1] = at + 1
    end critical
  end do
  sync all
  got = log(:)[n]
  do k = 1, n
    call require_equal(count(got == k), 10, 'entries of an image')
  end do
end program
