!> SYNC MEMORY orders an image's puts and gets of the same places through different names.
program memory_between_puts
  use checks
  implicit none
  integer, target :: a(50)[*]
  integer, pointer :: p(:)
  integer :: me, next, k, status, got(50)

  me = this_image(); next = right_of(me); p => a
  a = 0
  sync all
  do k = 1, 30
    a(:)[next] = k
    sync memory
    got = a(:)[next]
    call require(all(got == k), 'get after put and sync memory')
    sync memory (stat=status)
    call require_equal(status, 0, 'stat')
    ! The own copy through its coindexed name, read through a pointer.
    sync all
    a(7)[me] = 1000 + k
    sync memory
    call require_equal(p(7), 1000 + k, 'read through a pointer')
    p(8) = 2000 + k
    sync memory
    call require_equal(a(8)[me], 2000 + k, 'get of what was written through a pointer')
    sync all
  end do
end program
