!> No addition of any image to one variable is lost, and fetched values are all different.
program add
  use checks
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind
  implicit none
  integer, parameter :: rounds = 300
  integer(atomic_int_kind) :: total[*], ticket[*], down[*], old
  logical, allocatable :: taken(:)[:]
  integer :: me, n, k

  me = this_image(); n = num_images()
  allocate (taken(0:rounds * n - 1)[*])
  total = 0; ticket = 0; down = 0; taken = .false.
  sync all
  do k = 1, rounds
    call atomic_add(total[1], me)
    call atomic_add(down[n], -2)
    call atomic_fetch_add(ticket[1], 1, old)
    call require(old >= 0 .and. old < rounds * n, 'ticket out of range')
    call require(.not. taken(old)[1], 'ticket taken twice')
    taken(old)[1] = .true.
  end do
  sync all
  if (me == 1) then
    call atomic_ref(old, total)
    call require_equal(int(old), rounds * n * (n + 1) / 2, 'sum')
    call require(all(taken), 'tickets')
  end if
  call atomic_ref(old, down[n])
  call require_equal(int(old), -2 * rounds * n, 'sum of negative numbers')
end program
