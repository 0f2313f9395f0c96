!> Image 2 stops; what the others do with it afterwards has STAT_STOPPED_IMAGE, and its memory can still be read.
program after_stop
  use checks
  use victim
  use, intrinsic :: iso_fortran_env, only: stat_stopped_image
  implicit none
  integer :: value[*], other[*], status, x
  character(16) :: what

  value = 10 * this_image()
  sync all
  if (this_image() == 2) stop
  status = 0
  sync all (stat=status)
  call require_equal(status, stat_stopped_image, 'stat of sync all')
  sync all (stat=status)
  call require_equal(status, stat_stopped_image, 'stat of a second sync all')
  sync images (2, stat=status)
  call require_equal(status, stat_stopped_image, 'stat of sync images')
  x = 1; status = 0
  call co_sum(x, stat=status)
  call require_equal(status, stat_stopped_image, 'stat of co_sum')
  call get_command_argument(1, what)
  ! Between hosts a broadcast is no synchronisation: who has got the data knows nothing of the others.
  if (what == 'broadcast') then
    x = this_image(); status = 0
    call co_broadcast(x, source_image=1, stat=status)
    call require_equal(status, stat_stopped_image, 'stat of co_broadcast')
  end if
  x = value[2]
  call require_equal(x, 20, 'memory of the stopped image')
  other[2] = 30
  x = other[2]
  call require_equal(x, 30, 'memory of the stopped image after a put')
  print '(a, i0)', 'went on: ', this_image()
end program
