!> The Himeno benchmark's problem of size S for every side of a comparison: the sweep, the rows and their check. Who
!> exchanges planes, and how, is another file: it has the main program, `himeno_sweeps` and `himeno_share`.
!>
!> Own code; the problem and the stencil of 19 points are the benchmark's. Plain Fortran: translators of directives read it,
!> too. The images share out the planes; two copies of the field take turns, so that nothing is copied back.

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

!> The inner planes `first` to `last` (from 1) of an image among all; each has as many as the others, or one more.
subroutine himeno_part(me, images, first, last)
  implicit none
  integer, intent(in) :: me, images
  integer, intent(out) :: first, last
  integer, parameter :: planes = 62

  first = planes*(me - 1)/images + 1
  last = planes*me/images
end subroutine himeno_part

!> The start: both copies of the field of planes `first` - 1 to `first` + `n`, and the coefficients.
subroutine himeno_start(first, n, field, a, b, c, source, bound)
  implicit none
  integer, intent(in) :: first, n
  real(4), intent(out) :: field(128, 64, 0:32, 2), a(128, 64, 31, 4), b(128, 64, 31, 3), c(128, 64, 31, 3)
  real(4), intent(out) :: source(128, 64, 31), bound(128, 64, 31)
  integer :: k

  do k = 0, n + 1
    field(:, :, k, :) = real((first + k - 1)**2)/real(63**2)
  end do
  a(:, :, :, 1:3) = 1.0
  a(:, :, :, 4) = 1.0/6.0
  b = 0.0
  c = 1.0
  source = 0.0
  bound = 1.0
end subroutine himeno_start

!> Sweeps over planes `from` to `to` of the copy `old` into the other one; adds the squares of the corrections to gosa.
subroutine himeno_planes(from, to, old, field, a, b, c, source, bound, gosa)
  implicit none
  integer, intent(in) :: from, to, old
  real(4), intent(inout) :: field(128, 64, 0:32, 2)
  real(4), intent(in) :: a(128, 64, 31, 4), b(128, 64, 31, 3), c(128, 64, 31, 3)
  real(4), intent(in) :: source(128, 64, 31), bound(128, 64, 31)
  real(8), intent(inout) :: gosa
  real(4), parameter :: omega = 0.8
  integer :: i, j, k, new
  real(4) :: s, squares

  new = 3 - old
  do k = from, to
    do j = 2, 63
      squares = 0.0
      do i = 2, 127
        s = a(i, j, k, 1)*field(i + 1, j, k, old) + a(i, j, k, 2)*field(i, j + 1, k, old) &
            + a(i, j, k, 3)*field(i, j, k + 1, old) &
            + b(i, j, k, 1)*(field(i + 1, j + 1, k, old) - field(i + 1, j - 1, k, old) &
                             - field(i - 1, j + 1, k, old) + field(i - 1, j - 1, k, old)) &
            + b(i, j, k, 2)*(field(i, j + 1, k + 1, old) - field(i, j - 1, k + 1, old) &
                             - field(i, j + 1, k - 1, old) + field(i, j - 1, k - 1, old)) &
            + b(i, j, k, 3)*(field(i + 1, j, k + 1, old) - field(i - 1, j, k + 1, old) &
                             - field(i + 1, j, k - 1, old) + field(i - 1, j, k - 1, old)) &
            + c(i, j, k, 1)*field(i - 1, j, k, old) + c(i, j, k, 2)*field(i, j - 1, k, old) &
            + c(i, j, k, 3)*field(i, j, k - 1, old) + source(i, j, k)
        s = (s*a(i, j, k, 4) - field(i, j, k, old))*bound(i, j, k)
        squares = squares + s*s
        field(i, j, k, new) = field(i, j, k, old) + omega*s
      end do
      gosa = gosa + squares
    end do
  end do
end subroutine himeno_planes
