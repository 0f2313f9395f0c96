!> Images reach ALLOCATE at different times and in between use other coarrays; no image is overtaken.
program uneven_work
  use checks
  implicit none
  integer :: before
  integer, allocatable :: a(:)[:], b(:)[:]
  integer :: total[*]
  integer :: me, n, k, i
  real :: work

  me = this_image(); n = num_images()
  total = 0
  do k = 1, 25
    if (modulo(k, n) + 1 == me) then
      work = 0
      do i = 1, 100000
        work = work + sin(real(i))
      end do
      if (work > 1e6) total = -1
    end if
    allocate (a(k)[*])
    a = me * k
    allocate (b(2 * k)[*], source=-me * k)
    call require_equal(b(2 * k)[right_of(me)], -right_of(me) * k, 'second coarray')
    sync all
    deallocate (a)
    critical
      before = total[1]
      total[1] = before + 1
    end critical
    deallocate (b)
  end do
  sync all
  call require_equal(total[1], 25 * n, 'total')
end program
