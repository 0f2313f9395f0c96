!> Image 2 has failed, and image 3 is killed at some time: ALLOCATE and DEALLOCATE with stat= are executed by those that are
!> left, every time, and what they allocate afterwards lies at the same place on all of them. (gfortran drops what the
!> synchronisation at the end of ALLOCATE has found.) The argument says how often.
program survivors_allocate
  use victim
  use, intrinsic :: iso_fortran_env, only: stat_failed_image
  implicit none
  integer, allocatable :: x(:)[:], kept(:)[:]
  integer :: me, k, i, status, got, steps
  character(20) :: argument

  call get_command_argument(1, argument)
  read (argument, *) steps
  me = this_image()
  sync all
  if (me == 2) fail image
  if (me == 3) call die_after(10)
  k = 0
  do while (k < steps)
    k = k + 1
    allocate (x(1 + 40 * modulo(k, 7))[*], stat=status)
    if (status /= 0 .or. .not. allocated(x)) error stop 'allocate: nothing was allocated'
    x = 1000 * k + me
    if (modulo(k, 5) == 0) then
      allocate (kept(k)[*], stat=status)
      if (status /= 0) error stop 'allocate: nothing was allocated'
      kept = k
    end if
    sync all (stat=status)
    do i = 1, num_images()
      if (i == 2 .or. i == 3) cycle
      got = x(size(x))[i]
      if (got /= 1000 * k + i .and. me /= 3) error stop 'the coarray is elsewhere on another image'
    end do
    deallocate (x, stat=status)
    call failure_is_told('deallocate')
    if (allocated(x)) error stop 'deallocate: nothing was deallocated'
    if (allocated(kept) .and. modulo(k, 5) == 2) deallocate (kept, stat=status)
  end do
  ! Where it was faster than its death.
  if (me == 3) call nap(600000)
  ! No image ends before: it would have stopped for those that are late.
  sync images ([1, (i, i = 4, num_images())])
  print '(a, i0)', 'went on: ', me

contains

  subroutine failure_is_told(statement)
    character(*), intent(in) :: statement
    if (status /= stat_failed_image .and. me /= 3) error stop statement // ': stat is not STAT_FAILED_IMAGE'
  end subroutine
end program
