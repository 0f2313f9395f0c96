!> ALLOCATE with stat= after FAIL IMAGE: the coarray is there on the images that are left. DEALLOCATE: STAT_FAILED_IMAGE.
program failed_allocate
  use checks
  use, intrinsic :: iso_fortran_env, only: stat_failed_image
  implicit none
  integer, allocatable :: a(:)[:], b(:)[:]
  integer :: me, n, i, status, next, got
  integer, allocatable :: left(:)

  me = this_image(); n = num_images()
  allocate (a(5)[*])
  sync all
  if (n > 1 .and. me == n) fail image
  next = 1 + modulo(me, max(1, n - 1))
  do while (n > 1 .and. image_status(n) == 0)
  end do
  status = 77
  allocate (b(7)[*], stat=status)
  ! gfortran takes the status before the synchronisation that belongs to ALLOCATE.
  call require(status == 0 .or. n > 1 .and. status == stat_failed_image, 'allocate')
  call require(allocated(b), 'allocated')
  b = me
  left = [(i, i = 1, max(1, n - 1))]
  sync images (left)
  got = b(7)[next]
  call require_equal(got, next, 'get from the new coarray')
  sync images (left)
  status = 77
  deallocate (a, stat=status)
  call require_equal(status, merge(stat_failed_image, 0, n > 1), 'deallocate')
  ! No image ends before: it would have stopped for those that are late.
  sync images (left)
end program
