!> Sums of reals that depend on the order of the additions are the same on every image, bit for bit, each time.
program co_sum_same_everywhere
  use checks
  implicit none
  integer, parameter :: sizes(5) = [1, 5, 130, 3000, 70000]
  real(8), allocatable :: start(:), a(:), first(:)[:], theirs(:)
  integer :: me, n, s, k

  me = this_image(); n = num_images()
  do s = 1, size(sizes)
    allocate (start(sizes(s)), a(sizes(s)), theirs(sizes(s)), first(sizes(s))[*])
    start = [(10d0**(mod(k * me, 17) - 8) * (-1)**k / (me + k), k = 1, sizes(s))]
    first = start
    call co_sum(first)
    sync all
    theirs(1:sizes(s)) = first(:)[right_of(me)]
    call require(all(theirs == first), 'differs between images')
    do k = 1, 3
      a = start
      call co_sum(a)
      call require(all(a == first), 'differs between calls')
    end do
    deallocate (start, a, theirs, first)
  end do
end program
