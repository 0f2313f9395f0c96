!> Row selection, adaptive timing and the output protocol of the benchmark that calls PRIF; `caf_timing` explains both.
module prif_timing
  use, intrinsic :: iso_c_binding, only: c_bool, c_int, c_int64_t, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: int64, output_unit, real64
  use prif, only: prif_co_broadcast, prif_init, prif_num_images, prif_stop, prif_sync_all, prif_this_image_no_coarray
  use row_timing, only: find_count, is_asked_for
  implicit none
  private
  public :: start_timing, measure, report_wrong, finish_timing

  !> The kind of every measured value: 8 bytes.
  integer, parameter, public :: dp = real64
  !> This image, and the number of images.
  integer(c_int), public, protected :: me, images
  !> Calls of the last batch of the last row, and of all its batches together; both 0 if the row was not selected.
  integer, public, protected :: last_count, total_count

  abstract interface
    !> Does the operation of a row `n` times on this image; called on every image.
    subroutine row_body(n)
      integer, intent(in) :: n
    end subroutine row_body
  end interface

  !> A row may spend this many times the least batch duration; then the parts that there are count.
  integer, parameter :: budget_factor = 50
  !> Parts of the batch that counts.
  integer, parameter :: part_count = 20
  integer, parameter :: largest_count = 2**29

  character(len=8192), save :: wanted
  integer(int64), save :: clock_rate, least_ticks

contains

  !> Starts PRIF and reads the arguments. Every image must call it first.
  subroutine start_timing()
    character(len=32) :: text
    integer :: milliseconds, status
    integer(c_int) :: stat
    ! flang's main programs have called it before.
    call prif_init(stat)
    call prif_this_image_no_coarray(this_image=me)
    call prif_num_images(images)
    if (images < 2) error stop 'prif_bench: needs at least 2 images'
    wanted = 'all'
    milliseconds = 20
    if (command_argument_count() >= 1) call get_command_argument(1, wanted)
    if (command_argument_count() >= 2) then
      call get_command_argument(2, text)
      read (text, *, iostat=status) milliseconds
      if (status /= 0 .or. milliseconds < 1) error stop 'prif_bench: MILLISECONDS is not a positive number'
    end if
    call system_clock(count_rate=clock_rate)
    least_ticks = clock_rate*milliseconds/1000
  end subroutine start_timing

  !> Whether the row `name` with `bytes` was asked for: alone, with its size, or by `all`.
  logical function selected(name, bytes)
    character(len=*), intent(in) :: name
    integer, intent(in) :: bytes

    selected = is_asked_for(wanted, name, bytes)
  end function selected

  !> Measures and prints one row if it is selected. The time is that of image 1, which decides how many calls the next part
  !> has; with `most` the parts have at most so many together.
  subroutine measure(name, bytes, body, most)
    character(len=*), intent(in) :: name
    integer, intent(in) :: bytes
    procedure(row_body) :: body
    integer, intent(in), optional :: most
    integer(int64) :: started, stopped, spent
    integer :: n, rounds, limit, part
    real(dp) :: parts(part_count)
    logical :: is_known

    limit = largest_count
    if (present(most)) limit = most
    limit = max(1, limit/part_count)
    last_count = 0
    total_count = 0
    if (.not. selected(name, bytes)) return
    if (me == 1) then
      write (output_unit, '("begin,", a, ",", i0)') name, bytes
      flush (output_unit)
    end if
    spent = 0
    rounds = 0
    part = 0
    is_known = .false.
    n = 1
    do
      call prif_sync_all()
      call system_clock(started)
      call body(n)
      call system_clock(stopped)
      spent = spent + (stopped - started)
      rounds = rounds + 1
      last_count = n
      total_count = total_count + n
      if (me == 1) then
        if (is_known .or. spent >= budget_factor*least_ticks) then
          part = part + 1
          parts(part) = 1.0e6_dp*real(stopped - started, dp)/real(clock_rate, dp)/n
          if (part == part_count .or. spent >= budget_factor*least_ticks) n = 0
        else
          call find_count(n, stopped - started, rounds, limit, least_ticks/part_count, is_known)
        end if
      end if
      call prif_co_broadcast(n, 1_c_int)
      if (n == 0) exit
    end do
    if (me == 1) then
      write (output_unit, '(a, ",", i0, ",mean", *(:, ",", es13.6))') name, bytes, parts(:part)
      flush (output_unit)
    end if
  end subroutine measure

  !> Reports from any image that the result of the row just measured was not the right one, unless `right`; nothing if the
  !> row was not selected.
  subroutine report_wrong(name, bytes, right)
    character(len=*), intent(in) :: name
    integer, intent(in) :: bytes
    logical, intent(in) :: right
    if (last_count == 0 .or. right) return
    write (output_unit, '("wrong,", a, ",", i0)') name, bytes
    flush (output_unit)
  end subroutine report_wrong

  !> Ends the output and the program. Every image must call it last.
  subroutine finish_timing()
    logical(c_bool) :: quiet
    call prif_sync_all()
    if (me == 1) then
      write (output_unit, '("end")')
      flush (output_unit)
    end if
    quiet = .true.
    call prif_stop(quiet)
  end subroutine finish_timing

end module prif_timing
