!> What is deallocated can be allocated again, thousands of times, in any order: the heap does not run away.
program many_times
  use checks
  implicit none
  integer, allocatable :: a(:)[:], b(:)[:], c(:)[:], large(:)[:], small[:]
  integer :: k, next, me

  me = this_image(); next = right_of(me)
  do k = 1, 150
    allocate (a(100 + mod(37 * k, 500))[*], b(1000 * mod(k, 7))[*])
    allocate (large(4000000)[*])
    a = k; large(1) = k; large(size(large)) = k
    deallocate (a)
    allocate (c(10 + mod(91 * k, 900))[*])
    c = -k
    sync all
    call require_equal(large(size(large))[next], k, 'large')
    call require_equal(c(10)[next], -k, 'after a deallocation')
    if (mod(k, 2) == 0) then
      deallocate (b, large, c)
    else
      deallocate (c)
      deallocate (large)
      deallocate (b)
    end if
  end do
  do k = 1, 500
    allocate (small[*])
    small = k
    deallocate (small)
  end do
end program
