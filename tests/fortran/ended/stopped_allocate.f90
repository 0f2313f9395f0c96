!> DEALLOCATE of coarrays with stat= after an image has stopped: STAT_STOPPED_IMAGE; ALLOCATE with stat= does not end the program.
program stopped_allocate
  use checks
  use, intrinsic :: iso_fortran_env, only: stat_stopped_image
  implicit none
  integer, allocatable :: a(:)[:], b(:)[:]
  integer :: me, n, status, expected

  me = this_image(); n = num_images()
  expected = merge(stat_stopped_image, 0, n > 1)
  allocate (a(5)[*])
  sync all
  if (n > 1 .and. me == n) stop
  ! gfortran takes the status before the synchronisation that belongs to ALLOCATE.
  status = 77
  allocate (b(7)[*], stat=status)
  call require(status == 0 .or. status == expected, 'allocate')
  status = 77
  deallocate (a, stat=status)
  call require_equal(status, expected, 'deallocate')
end program
