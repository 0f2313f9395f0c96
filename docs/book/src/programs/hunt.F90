! Each image computes a part of a table, sends it to the next image, and all add up what they have got.
! -DBUG=1 to -DBUG=5 each put one mistake into it.
#ifndef BUG
#define BUG 0
#endif
program hunt
  implicit none
  integer, parameter :: n = 100
  real(8), allocatable :: part(:)[:], mine(:)
  real(8) :: total
  integer :: me, next, before, i

  me = this_image()
  next = mod(me, num_images()) + 1
  before = mod(me + num_images() - 2, num_images()) + 1
  allocate (part(n)[*])
#if BUG != 5
  allocate (mine(n))
#endif
  do i = 1, n
    mine(i) = 1d0 / (me * i)
  end do

#if BUG == 1
  part(0:n - 1)[next] = mine
#else
  part(:)[next] = mine
#endif
#if BUG == 2
  total = sum(part)
  sync all
#elif BUG == 3
  sync images (before)
  total = sum(part)
#else
  sync all
  total = sum(part)
#endif

#if BUG == 4
  if (me == 1) then
    call co_max(total)
  else
    call co_sum(total)
  end if
#else
  call co_sum(total)
#endif
  if (me == 1) print '(a,f9.6)', 'total: ', total
end program hunt
