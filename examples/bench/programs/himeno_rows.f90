!> The rows of the Himeno benchmark and their check, for every side of a comparison; himeno_problem.f90 has the problem. The
!> file of a side exchanges the planes: it has the main program, `himeno_sweeps` and `himeno_share`. Plain Fortran: translators of
!> directives read it, too.

!> The rows that are asked for, in the protocol of caf_timing.f90: microseconds a sweep, and the check.
subroutine himeno_rows(me, images)
  implicit none
  integer, intent(in) :: me, images
  integer :: status, milliseconds
  character(len=2048) :: wanted
  character(len=32) :: text

  wanted = 'all'
  milliseconds = 20
  if (command_argument_count() >= 1) call get_command_argument(1, wanted)
  if (command_argument_count() >= 2) then
    call get_command_argument(2, text)
    read (text, *, iostat=status) milliseconds
  end if
  call himeno_row('himeno', 0, me, images, wanted, milliseconds)
  call himeno_row('himeno_overlap', 1, me, images, wanted, milliseconds)
  call himeno_row('himeno_global', 0, me, images, wanted, milliseconds)
  if (me == 1) write (*, '(a)') 'end'
end subroutine himeno_rows

!> Measures one row if it was asked for: first a few sweeps, which say how many make a batch.
subroutine himeno_row(name, overlap, me, images, wanted, milliseconds)
  implicit none
  character(len=*), intent(in) :: name, wanted
  integer, intent(in) :: overlap, me, images, milliseconds
  integer, parameter :: first = 5, most = 100000
  integer(8) :: started, stopped, rate
  integer :: n
  real(8) :: gosa, microseconds
  character(len=2050) :: list

  list = ','//trim(wanted)//','
  if (wanted /= 'all' .and. index(list, ','//name//',') == 0 &
      .and. index(list, ','//name//':524288,') == 0) return
  if (me == 1) then
    write (*, '("begin,", a, ",524288")') name
    flush (6)
  end if
  call system_clock(count_rate=rate)
  call himeno_sweeps(overlap, first, gosa)
  call system_clock(started)
  call himeno_sweeps(overlap, first, gosa)
  call system_clock(stopped)
  n = int(min(dble(most), first*1.0d-3*milliseconds*rate/dble(max(stopped - started, 1_8)))) + 1
  call himeno_share(n)
  call system_clock(started)
  call himeno_sweeps(overlap, n, gosa)
  call system_clock(stopped)
  microseconds = 1.0d6*dble(stopped - started)/dble(rate)/n
  if (me == 1) write (*, '(a, ",524288,", es13.6)') name, microseconds
  call himeno_check(name, overlap, me)
  flush (6)
end subroutine himeno_row

!> Two sweeps from the start. The field is a square function of the third index, so the first one corrects every point by
!> the same, and the second one by less beside the boundary, which stays: gosa is known. A plane that did not arrive is
!> like a boundary.
subroutine himeno_check(name, overlap, me)
  implicit none
  character(len=*), intent(in) :: name
  integer, intent(in) :: overlap, me
  real(8), parameter :: omega = 0.8d0, tolerance = 1.0d-3
  integer, parameter :: points(3) = (/126, 62, 62/)
  integer :: i, j, k, beside
  real(8) :: gosa, expected, correction

  call himeno_sweeps(overlap, 2, gosa)
  correction = 1.0d0/(3.0d0*63.0d0**2)
  expected = 0
  do k = 1, points(3)
    do j = 1, points(2)
      do i = 1, points(1)
        beside = 0
        if (i == 1 .or. i == points(1)) beside = beside + 1
        if (j == 1 .or. j == points(2)) beside = beside + 1
        if (k == 1 .or. k == points(3)) beside = beside + 1
        expected = expected + (correction*(1.0d0 - omega*beside/6.0d0))**2
      end do
    end do
  end do
  if (me == 1 .and. .not. abs(gosa - expected) <= tolerance*expected) then
    write (*, '("wrong,", a, ",524288")') name
  end if
end subroutine himeno_check
