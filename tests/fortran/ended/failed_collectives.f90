!> Collectives with stat= after FAIL IMAGE: STAT_FAILED_IMAGE on every image that needs the others' values.
program failed_collectives
  use checks
  use, intrinsic :: iso_fortran_env, only: stat_failed_image
  implicit none
  integer :: me, n, i, x, a(2000), expected, status
  character(5) :: s
  real(8) :: r

  me = this_image(); n = num_images()
  expected = merge(stat_failed_image, 0, n > 1)
  sync all
  if (n > 1 .and. me == n) fail image
  x = me; a = me; s = 'abc'; r = me
  status = 77; call co_sum(x, stat=status); call require_equal(status, expected, 'co_sum')
  status = 77; call co_sum(a, result_image=1, stat=status)
  if (me == 1) call require_equal(status, expected, 'co_sum to one image')
  status = 77; call co_min(r, stat=status); call require_equal(status, expected, 'co_min')
  status = 77; call co_max(s, stat=status); call require_equal(status, expected, 'co_max')
  if (n > 1) then
    ! From the image that has failed.
    status = 77; call co_broadcast(a, n, stat=status); call require_equal(status, expected, 'co_broadcast')
  end if
  status = 77; call co_reduce(x, plus, stat=status); call require_equal(status, expected, 'co_reduce')
  ! No image ends before: it would have stopped for those that are late.
  sync images ([(i, i = 1, max(1, n - 1))])

contains

  pure integer function plus(p, q)
    integer, intent(in) :: p, q
    plus = p + q
  end function
end program
