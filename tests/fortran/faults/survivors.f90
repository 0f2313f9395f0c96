!> Image 2 has failed, and image 3 is killed at some time: SYNC ALL with stat= synchronises those that are left, every
!> time, as often as the argument says. With a second argument image 3 executes FAIL IMAGE instead.
program survivors
  use victim
  use, intrinsic :: iso_fortran_env, only: stat_failed_image
  implicit none
  integer :: done[*], got, me, k, i, status, steps
  character(20) :: argument
  logical :: fails

  call get_command_argument(1, argument)
  read (argument, *) steps
  fails = command_argument_count() > 1
  me = this_image()
  done = 0
  sync all
  if (me == 2) fail image
  if (me == 3 .and. .not. fails) call die_after(10)
  k = 0
  do while (k < steps)
    k = k + 1
    if (me == 3 .and. fails .and. k > steps / 3) fail image
    done = k
    call meet()
    do i = 1, num_images()
      if (i == 2 .or. i == 3) cycle
      got = done[i]
      if (got /= k .and. me /= 3) error stop 'another image was not there, or had gone on'
    end do
    call meet()
  end do
  ! Where it was faster than its death.
  if (me == 3) call nap(600000)
  ! No image ends before: it would have stopped for those that are late.
  sync images ([1, (i, i = 4, num_images())])
  print '(a, i0)', 'went on: ', me

contains

  subroutine meet()
    sync all (stat=status)
    if (status /= stat_failed_image .and. me /= 3) error stop 'stat is not STAT_FAILED_IMAGE'
  end subroutine
end program
