!> co_broadcast of 0 to 200000 elements from every image, back to back.
program co_broadcast_sizes
  use checks
  implicit none
  integer, parameter :: sizes(8) = [0, 1, 7, 513, 1000, 8193, 65536, 200000]
  real(8), allocatable :: a(:)
  integer :: me, n, s, source, i

  me = this_image(); n = num_images()
  do s = 1, size(sizes)
    allocate (a(sizes(s)))
    do source = 1, n
      a = [(1d0 * me * i, i = 1, sizes(s))]
      call co_broadcast(a, source)
      call require(all(a == [(1d0 * source * i, i = 1, sizes(s))]), 'broadcast')
    end do
    deallocate (a)
  end do
end program
