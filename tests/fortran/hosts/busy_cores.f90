!> Images that wait for answers and messages of another host, where something computes on each core. A yield of the core lasts for a time
!> slice there, so images must not yield at each wait. With an argument all counts are printed.
program busy_cores
  use checks
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, int64
  implicit none

  !> Requests, and barriers.
  integer, parameter :: n = 300
  !> An image looks again for what computes after a pause: of 20 ms at first, then of twice as long, of 640 ms at last. Its waits and the
  !> thread of its server do so, with at most two yields each.
  integer, parameter :: looks = 4, short_pauses = 8
  double precision, parameter :: long_pause = 0.64d0

  interface
    integer function long_yields_since() bind(c)
    end function
    subroutine compute_beside() bind(c)
    end subroutine
  end interface

  integer(atomic_int_kind) :: counter[*], before
  integer(int64) :: begin
  integer :: i, other

  other = modulo(this_image() - 1 + num_images()/2, num_images()) + 1
  counter = 0
  sync all
  call compute_beside()
  call start()
  do i = 1, n
    call atomic_fetch_add(counter[other], 1, before)
  end do
  call check('requests')
  sync all
  call start()
  do i = 1, n
    sync all
  end do
  call check('barriers')

contains

  subroutine start()
    integer :: earlier

    earlier = long_yields_since()
    call system_clock(begin)
  end subroutine

  subroutine check(what)
    character(*), intent(in) :: what
    character(80) :: counts
    integer(int64) :: now, rate
    integer :: yields, most

    yields = long_yields_since()
    call system_clock(now, rate)
    most = looks*(short_pauses + ceiling((now - begin)/(rate*long_pause)))
    write (counts, '(2a, i0, a, i0)') what, ': long yields ', yields, ', permitted ', most
    if (command_argument_count() > 0) print '(a, i0, 2a)', 'image ', this_image(), ', ', trim(counts)
    call require(yields <= most, trim(counts))
  end subroutine

end program
