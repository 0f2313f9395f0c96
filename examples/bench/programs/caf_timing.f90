!> Row selection, adaptive timing and the output protocol of the coarray benchmark.
!>
!> Output, one line each, read by the driver:
!>
!>     begin,ROW,BYTES          before a row is measured (so that a row that hangs is known by name)
!>     ROW,BYTES,mean,PART,...  the time of one operation in each part of the last batch; the figure is their mean
!>     wrong,ROW,BYTES          the operation ran but its result was not the right one
!>     unwritten,ROW,BYTES      memory of an operand was not written before it was measured
!>     end                      all selected rows were measured
!>
!> Arguments: `caf_bench [ROWS [MILLISECONDS [PARTNER]]]`, ROWS a comma-separated list of `ROW` or `ROW:BYTES`
!> (default `all`), MILLISECONDS the least duration of a timed batch (default 20), PARTNER the image that image 1
!> talks to (default 2).
module caf_timing
  use, intrinsic :: iso_c_binding, only: c_int, c_intptr_t, c_long
  use, intrinsic :: iso_fortran_env, only: int64, output_unit, real64
  use row_timing, only: find_count, is_asked_for
  implicit none
  private
  public :: start_timing, measure, selected, report_wrong, check_written, finish_timing, row_body, words_beside

  !> The kind of every measured value: 8 bytes.
  integer, parameter, public :: dp = real64
  !> Elements of the coarrays of which only the first is used: every one of them fills a page, because
  !> MPICH 4.0 puts into the wrong rank's memory when a window is smaller.
  integer, parameter, public :: page = 1024
  !> This image, the number of images, and the image that image 1 talks to.
  integer, public, protected :: me, images, partner
  !> Calls of the last batch of the last row, and of all its batches together: what the checks expect.
  !> Both 0 if the row was not selected.
  integer, public, protected :: last_count, total_count

  abstract interface
    !> Does the operation of a row `n` times on this image; called on every image.
    subroutine row_body(n)
      integer, intent(in) :: n
    end subroutine row_body
  end interface

  interface
    !> getrusage(2) of this process (`who` 0). The words of Linux's `struct rusage`: two times of two words each, then
    !> 14 counters, of which the sixth is that of the page faults that needed no input.
    integer(c_int) function getrusage(who, usage) bind(c)
      import :: c_int, c_long
      integer(c_int), value :: who
      integer(c_long), intent(out) :: usage(18)
    end function getrusage
  end interface

  !> Words of the smallest page of all processors.
  integer, parameter, public :: least_page_words = 512
  !> Page faults that other threads of a library, or the first call of a function, may cause meanwhile.
  integer, parameter :: faults_of_others = 4

  !> A row may spend this many times the least batch duration; then the parts that there are count.
  integer, parameter :: budget_factor = 50
  !> Parts of the batch that counts.
  integer, parameter :: part_count = 20
  integer, parameter :: largest_count = 2**29

  character(len=8192), save :: wanted
  integer(int64), save :: clock_rate, least_ticks
  !> The next batch's number of calls, written by image 1 on every image; 0 ends the row.
  integer, save, public :: command(page)[*]

contains

  !> Words from the address `from` to the first cache line that lies half a page beside the partner's object within its
  !> page; `own` is the address of this image's object. All images call this. The local operands of the rows of arrays (put
  !> and get of contiguous ones and of components) begin at such a place on every side. Otherwise the figures would show
  !> accidents of addresses: which side has loads that touch two lines, and which processor waits because it takes a load
  !> for one of what was just stored, for it compares addresses within a page. (On AMD Zen 3 and 4, a `memcpy` of the C
  !> library whose destination lies 1 to 15 bytes above its source modulo 4096 is 13 times slower.)
  integer function words_beside(from, own)
    integer(c_intptr_t), intent(in) :: from, own
    integer(c_intptr_t), parameter :: line_bytes = 64, page_bytes = 4096, word_bytes = 8
    integer(c_intptr_t) :: wanted
    integer :: place
    place = int(modulo(own, page_bytes))
    call co_broadcast(place, partner)
    wanted = place - modulo(place, int(line_bytes)) + page_bytes/2
    words_beside = int(modulo(wanted - from, page_bytes)/word_bytes)
  end function words_beside

  !> Reads the arguments. Every image must call it first.
  subroutine start_timing()
    character(len=32) :: text
    integer :: milliseconds, status
    me = this_image()
    images = num_images()
    if (images < 2) error stop 'caf_bench: needs at least 2 images'
    partner = 2
    wanted = 'all'
    milliseconds = 20
    if (command_argument_count() >= 1) call get_command_argument(1, wanted)
    if (command_argument_count() >= 2) then
      call get_command_argument(2, text)
      read (text, *, iostat=status) milliseconds
      if (status /= 0 .or. milliseconds < 1) error stop 'caf_bench: MILLISECONDS is not a positive number'
    end if
    if (command_argument_count() >= 3) then
      call get_command_argument(3, text)
      read (text, *, iostat=status) partner
      if (status /= 0 .or. partner < 2 .or. partner > images) error stop 'caf_bench: PARTNER is not an image from 2 on'
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

  !> Measures and prints one row if it is selected.
  !>
  !> The number of calls grows until they take a part of the least duration. Then so many calls are made for each part, and
  !> these count. Image 1 decides and tells the others by a put followed by `sync all`, so all images agree and no
  !> collective is relied upon.
  !> The time is that of image 1; a body in which the other images work too ends with a barrier. With `most`
  !> the parts have at most so many calls together, however short they are.
  subroutine measure(name, bytes, body, most)
    character(len=*), intent(in) :: name
    integer, intent(in) :: bytes
    procedure(row_body) :: body
    integer, intent(in), optional :: most
    integer(int64) :: started, stopped, spent
    external :: tell_all
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
      sync all
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
        call tell_all(n)
      end if
      sync all
      n = command(1)
      if (n == 0) exit
    end do
    if (me == 1) then
      write (output_unit, '(a, ",", i0, ",mean", *(:, ",", es13.6))') name, bytes, parts(:part)
      flush (output_unit)
    end if
  end subroutine measure

  !> Reports from any image that the result of the row just measured was not the right one; nothing
  !> if the row was not selected.
  subroutine report_wrong(name, bytes)
    character(len=*), intent(in) :: name
    integer, intent(in) :: bytes
    if (last_count == 0) return
    write (output_unit, '("wrong,", a, ",", i0)') name, bytes
    flush (output_unit)
  end subroutine report_wrong

  !> Reports from any image that there are pages of `operand`, of which the row about to be measured reads or writes the
  !> `words` words, that nothing has written: the kernel's page of zeros would be read in their place, which always lies
  !> in a cache.
  subroutine check_written(name, bytes, operand, words)
    character(len=*), intent(in) :: name
    integer, intent(in) :: bytes, words
    real(dp), intent(inout), volatile :: operand(words)
    integer(c_long) :: before
    integer :: i
    if (.not. selected(name, bytes)) return
    ! The first write to a page of memory, or to the page of zeros in its place, is a fault.
    before = faults()
    do i = 1, words, least_page_words
      operand(i) = operand(i)
    end do
    operand(words) = operand(words)
    if (faults() - before > faults_of_others) then
      write (output_unit, '("unwritten,", a, ",", i0)') name, bytes
      flush (output_unit)
    end if
  end subroutine check_written

  !> Page faults of this process that needed no input.
  integer(c_long) function faults()
    integer(c_long) :: usage(18)
    usage = 0
    if (getrusage(0_c_int, usage) /= 0) error stop 'caf_bench: getrusage failed'
    faults = usage(9)
  end function faults

  !> Ends the output. Every image must call it last.
  subroutine finish_timing()
    sync all
    if (me == 1) then
      write (output_unit, '("end")')
      flush (output_unit)
    end if
  end subroutine finish_timing

end module caf_timing

!> The next batch has so many calls. (An external procedure: see `caf_latency`.)
subroutine tell_all(count)
  use caf_timing, only: command, images
  implicit none
  integer, intent(in) :: count
  integer :: image
  do image = 1, images
    command(1)[image] = count
  end do
end subroutine tell_all
