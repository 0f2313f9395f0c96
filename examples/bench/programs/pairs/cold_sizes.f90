!> The first operations of a job: each size in turn, ascending or descending, with operands that are rewritten before each
!> operation. Both forms share it.
module cold_sizes
  use pair_timing, only: dp, images, me, microseconds_between, now, selected, tell_begin, tell_times, tell_wrong
  implicit none
  private
  public :: measure_first, operand

  !> Words of the operands.
  integer, parameter :: sizes(12) = [1, 8, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 32768, 131072]
  integer, parameter :: word_bytes = 8
  !> Operations of each size.
  integer, parameter :: first_operations = 1000
  !> No further operation of a size is begun after so many microseconds.
  real(dp), parameter :: most_microseconds = 2.0e6_dp
  !> Operations after which image 1 tells the others whether to go on.
  integer, parameter :: between_looks = 50

  real(dp), allocatable :: operand(:)

  interface
    !> Waits for all images.
    subroutine pair_barrier()
    end subroutine pair_barrier
    !> Gives the value of image 1 to all.
    subroutine pair_share(n)
      integer, intent(inout) :: n
    end subroutine pair_share
  end interface

contains

  !> Measures the rows of an operation. A broadcast spreads the last image's operand; image 1 tells the time, which is that of a
  !> receiver.
  subroutine measure_first(name, operation, is_sum)
    character(len=*), intent(in) :: name
    logical, intent(in) :: is_sum
    interface
      subroutine operation(n)
        integer, intent(in) :: n
      end subroutine operation
    end interface
    integer :: i

    if (.not. allocated(operand)) allocate (operand(sizes(size(sizes))), source=0.0_dp)
    do i = 1, size(sizes)
      call measure_size(name//'_ascending', sizes(i))
    end do
    do i = size(sizes), 1, -1
      call measure_size(name//'_descending', sizes(i))
    end do

  contains

    subroutine measure_size(row, words)
      character(len=*), intent(in) :: row
      integer, intent(in) :: words
      real(dp) :: times(first_operations), expected, spent
      integer(8) :: started
      integer :: i, goes_on
      logical :: is_right

      if (.not. selected(row, words*word_bytes)) return
      call tell_begin(row, words*word_bytes)
      is_right = .true.
      spent = 0
      do i = 1, first_operations
        operand(:words) = me + i
        call pair_barrier()
        started = now()
        call operation(words)
        times(i) = microseconds_between(started, now())
        spent = spent + times(i)
        expected = images + i
        if (is_sum) expected = images*(images + 1)/2 + images*i
        is_right = is_right .and. operand(1) == expected .and. operand(words) == expected
        if (modulo(i, between_looks) == 0) then
          goes_on = merge(1, 0, spent < most_microseconds)
          call pair_share(goes_on)
          if (goes_on == 0) exit
        end if
      end do
      call tell_times(row, words*word_bytes, times(:min(i, first_operations)), 'mean')
      if (.not. is_right) call tell_wrong(row, words*word_bytes)
    end subroutine measure_size
  end subroutine measure_first

end module cold_sizes
