!> The rows that were asked for, and the calls of a part: for the programs that time rows in parts, whatever their images
!> communicate by.
module row_timing
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  private
  public :: is_asked_for, find_count

contains

  !> Whether the list `wanted` asks for the row `name` of `size`: by its name, with its size, or by `all`.
  logical function is_asked_for(wanted, name, size)
    character(len=*), intent(in) :: wanted, name
    integer, intent(in) :: size
    character(len=:), allocatable :: list
    character(len=16) :: size_text

    write (size_text, '(i0)') size
    list = ','//trim(wanted)//','
    is_asked_for = wanted == 'all' .or. index(list, ','//name//',') > 0 &
                   .or. index(list, ','//name//':'//trim(size_text)//',') > 0
  end function is_asked_for

  !> Looks for the calls of a part of at least `least` ticks, after `n` calls took so many ticks. They are known when that was long
  !> enough. The first calls do not count: they pay for first touches and connections.
  subroutine find_count(n, ticks, rounds, limit, least, is_known)
    integer, intent(inout) :: n
    integer(int64), intent(in) :: ticks, least
    integer, intent(in) :: rounds, limit
    logical, intent(out) :: is_known
    real(real64) :: factor

    is_known = (ticks >= least .or. n >= limit) .and. rounds > 1
    if (is_known .or. ticks >= least) return
    factor = 1.3_real64*real(least, real64)/real(max(ticks, 1_int64), real64)
    n = int(min(real(limit, real64), n*min(10.0_real64, max(2.0_real64, factor))))
  end subroutine find_count

end module row_timing
