!> Collectives on coarrays themselves, static and allocatable, whole and in parts, mixed with puts.
program of_coarrays
  use checks
  implicit none
  real(8) :: a(50)[*], scalar[*]
  real(8), allocatable :: big(:)[:]
  integer :: me, n, total, i, k

  me = this_image(); n = num_images(); total = n * (n + 1) / 2
  allocate (big(40000)[*])
  do k = 1, 5
    a = me; scalar = k * me; big = [(1d0 * me * i, i = 1, size(big))]
    call co_sum(scalar)
    call co_sum(a(11:40))
    call co_sum(big)
    call require(scalar == k * total, 'scalar')
    call require(all(a(11:40) == total) .and. all(a(:10) == me) .and. all(a(41:) == me), 'part')
    call require(all(big == [(1d0 * total * i, i = 1, size(big))]), 'large')
    sync all
    a(1)[right_of(me)] = -me
    sync all
    call co_min(a)
    call require(a(1) == -n, 'minimum after puts')
    if (me == n) big(2:) = 7
    call co_broadcast(big(2:), n)
    call require(all(big(2:) == 7) .and. big(1) == total, 'broadcast of a part')
    sync all
  end do
end program
