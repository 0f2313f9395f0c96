!> Coarrays of size zero can be allocated, passed around, given to collectives and freed.
program zero_sized
  use checks
  implicit none
  integer, allocatable :: a(:)[:], b(:, :)[:]
  integer :: k, got(0)

  do k = 1, 20
    allocate (a(0)[*], b(3, 5:4)[*])
    call require(allocated(a) .and. size(a) == 0 .and. size(b) == 0, 'size')
    a(:)[right_of(this_image())] = 7
    got = a(:)[left_of(this_image())]
    call co_sum(a)
    call co_broadcast(b, 1)
    sync all
    deallocate (b, a)
  end do
end program
