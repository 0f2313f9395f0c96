!> Row selection, timing and output of the programs that exist in two forms, with coarrays and with MPI. Both forms share
!> this module. It communicates by the procedures `pair_start`, `pair_barrier`, `pair_share`, `pair_total` and `pair_end`
!> only, of which caf_pair.f90 has the form with coarrays and mpi_pair.f90 that with MPI.
!>
!> Output, one line each, of image 1; the driver reads it:
!>
!>     begin,ROW,SIZE                     before a row is measured
!>     ROW,SIZE,median,PART,PART,...      microseconds of a step in each part of the run; `mean` where that is the figure
!>     check,ROW,SIZE,VALUE               what the program has computed, which both forms must agree about
!>     wrong,ROW,SIZE                     the program has found a mistake by itself
!>     end                                all rows that were asked for were measured
!>
!> Arguments: `PROGRAM [ROWS [MILLISECONDS]]`, ROWS a comma-separated list of `ROW` or `ROW:SIZE` (default `all`),
!> MILLISECONDS the least duration of the parts of a row together (default 20).
module pair_timing
  use, intrinsic :: iso_fortran_env, only: int64, output_unit, real64
  use row_timing, only: is_asked_for
  implicit none
  private
  public :: start_pair, end_pair, selected, measure, time_part, tell_begin, tell_times, tell_check, tell_wrong, now, &
            microseconds_between, computed

  integer, parameter, public :: dp = real64
  !> Parts that a row is timed in.
  integer, parameter, public :: part_count = 20
  !> This image, from 1 on, and the number of images.
  integer, public, protected :: me, images

  !> A row may take so many times the least duration; then the parts that there are count.
  integer, parameter :: budget_factor = 100
  integer, parameter :: most_steps = 1000000

  abstract interface
    !> Does `n` steps of a program. All images call it.
    subroutine steps(n)
      integer, intent(in) :: n
    end subroutine steps
  end interface

  interface
    !> Starts the images; this one and their number.
    subroutine pair_start(me, images)
      integer, intent(out) :: me, images
    end subroutine pair_start
    !> Waits for all images.
    subroutine pair_barrier()
    end subroutine pair_barrier
    !> Gives the value of image 1 to all.
    subroutine pair_share(n)
      integer, intent(inout) :: n
    end subroutine pair_share
    !> The sum of the values of all images.
    subroutine pair_total(value)
      import :: real64
      real(real64), intent(inout) :: value
    end subroutine pair_total
    !> Ends the images.
    subroutine pair_end()
    end subroutine pair_end
  end interface

  !> Microseconds that this image has computed in a part, of programs that tell it by `computed`.
  real(dp), save :: computation
  character(len=2048), save :: wanted
  integer(int64), save :: clock_rate
  integer, save :: milliseconds

contains

  !> Starts the images and reads the arguments. All images call it first.
  subroutine start_pair()
    character(len=32) :: text
    integer :: status

    call pair_start(me, images)
    wanted = 'all'
    milliseconds = 20
    if (command_argument_count() >= 1) call get_command_argument(1, wanted)
    if (command_argument_count() >= 2) then
      call get_command_argument(2, text)
      read (text, *, iostat=status) milliseconds
      if (status /= 0 .or. milliseconds < 1) error stop 'MILLISECONDS is not a positive number'
    end if
    if (images < 2) error stop 'needs at least 2 images'
    call system_clock(count_rate=clock_rate)
  end subroutine start_pair

  !> Whether the row `name` of `size` was asked for: by its name, with its size, or by `all`.
  logical function selected(name, size)
    character(len=*), intent(in) :: name
    integer, intent(in) :: size

    selected = is_asked_for(wanted, name, size)
  end function selected

  !> Times a row and prints the time of a step on image 1. The steps are done in parts, which all images begin together and
  !> end together. A first part, which is not counted, says how many steps a part has. With `communication` the figure is the
  !> time of a step without its computation.
  subroutine measure(name, size, do_steps, communication)
    character(len=*), intent(in) :: name
    integer, intent(in) :: size
    procedure(steps) :: do_steps
    logical, intent(in), optional :: communication
    real(dp) :: parts(part_count), spent
    integer :: part, n, goes_on
    logical :: is_less

    is_less = .false.
    if (present(communication)) is_less = communication
    call tell_begin(name, size)
    n = 1
    ! Twice: the first step pays for first touches and connections.
    call time_part(do_steps, n, parts(1))
    call time_part(do_steps, n, parts(1))
    n = int(min(real(most_steps, dp), max(1.0_dp, 1.0e3_dp*milliseconds/part_count/max(parts(1), 1.0e-3_dp))))
    call pair_share(n)
    spent = 0
    do part = 1, part_count
      call time_part(do_steps, n, parts(part))
      spent = spent + n*parts(part)
      if (is_less) parts(part) = max(parts(part) - computation/n, 0.0_dp)
      goes_on = merge(1, 0, part < part_count .and. spent < 1.0e3_dp*milliseconds*budget_factor)
      call pair_share(goes_on)
      if (goes_on == 0) exit
    end do
    call tell_times(name, size, parts(:min(part, part_count)), 'median')
  end subroutine measure

  !> The microseconds of a step in a part of `n` steps.
  subroutine time_part(do_steps, n, microseconds)
    procedure(steps) :: do_steps
    integer, intent(in) :: n
    real(dp), intent(out) :: microseconds
    integer(int64) :: started

    computation = 0
    call pair_barrier()
    started = now()
    call do_steps(n)
    call pair_barrier()
    microseconds = microseconds_between(started, now())/n
  end subroutine time_part

  !> Tells that this image has computed between two readings of the clock.
  subroutine computed(started, stopped)
    integer(int64), intent(in) :: started, stopped

    computation = computation + microseconds_between(started, stopped)
  end subroutine computed

  !> A clock.
  integer(int64) function now()
    call system_clock(now)
  end function now

  real(dp) function microseconds_between(started, stopped)
    integer(int64), intent(in) :: started, stopped

    microseconds_between = 1.0e6_dp*real(stopped - started, dp)/real(clock_rate, dp)
  end function microseconds_between

  subroutine tell_begin(name, size)
    character(len=*), intent(in) :: name
    integer, intent(in) :: size

    if (me /= 1) return
    write (output_unit, '("begin,", a, ",", i0)') name, size
    flush (output_unit)
  end subroutine tell_begin

  !> Prints the times of a step in the parts of a run. `figure`, `mean` or `median`, says which of them is the figure.
  subroutine tell_times(name, size, parts, figure)
    character(len=*), intent(in) :: name, figure
    integer, intent(in) :: size
    real(dp), intent(in) :: parts(:)

    if (me /= 1) return
    write (output_unit, '(a, ",", i0, ",", a, *(:, ",", es13.6))') name, size, figure, parts
    flush (output_unit)
  end subroutine tell_times

  !> Prints the sum over all images of what each has computed. All images call it.
  subroutine tell_check(name, size, value)
    character(len=*), intent(in) :: name
    integer, intent(in) :: size
    real(dp), intent(in) :: value
    real(dp) :: total

    total = value
    call pair_total(total)
    if (me /= 1) return
    write (output_unit, '("check,", a, ",", i0, ",", es24.16e3)') name, size, total
    flush (output_unit)
  end subroutine tell_check

  !> Reports from any image that it has found a mistake.
  subroutine tell_wrong(name, size)
    character(len=*), intent(in) :: name
    integer, intent(in) :: size

    write (output_unit, '("wrong,", a, ",", i0)') name, size
    flush (output_unit)
  end subroutine tell_wrong

  !> Ends the output and the images. All images call it last.
  subroutine end_pair()
    call pair_barrier()
    if (me == 1) then
      write (output_unit, '("end")')
      flush (output_unit)
    end if
    call pair_end()
  end subroutine end_pair

end module pair_timing
