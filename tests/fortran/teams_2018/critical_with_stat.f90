!> CRITICAL with stat=: 0 when all is well; an image that has failed in it does not keep the others out.
! Not with gfortran before 16: no stat= in CRITICAL.
program critical_with_stat
  use checks
  implicit none
  integer :: count[*], me, n, old, status, i

  me = this_image(); n = num_images(); count = 0
  sync all
  status = 77
  call section(n > 1 .and. me == n)
  sync images ([(i, i = 1, max(1, n - 1))])
  old = count[1]
  if (me == 1) call require_equal(old, max(1, n - 1), 'images that have been in the construct')
  sync images ([(i, i = 1, max(1, n - 1))])

contains

  subroutine section(fails)
    logical, intent(in) :: fails
    critical (stat=status)
      if (fails) fail image
      old = count[1]
      count[1] = old + 1
    end critical
    call require(status >= 0, 'stat')
  end subroutine
end program
