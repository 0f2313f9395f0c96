!> ALLOCATE and DEALLOCATE synchronise all images: no put is early, no memory is freed while another image uses it.
program barriers
  use checks
  implicit none
  integer, allocatable :: a(:)[:]
  integer :: me, n, k, i

  me = this_image(); n = num_images()
  do k = 1, 60
    allocate (a(n)[*])
    ! At once: the others have allocated too.
    do i = 1, n
      a(me)[i] = 100 * k + me
    end do
    sync all
    call require(all(a == [(100 * k + i, i = 1, n)]), 'puts right after ALLOCATE')
    do i = n, 1, -1
      call require_equal(a(me)[i], 100 * k + me, 'get right before DEALLOCATE')
    end do
    deallocate (a)
  end do
end program
