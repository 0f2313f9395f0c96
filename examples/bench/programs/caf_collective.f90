!> Rows of the collective subroutines and of the allocation of a coarray.
!>
!> The operands are ordinary memory. They hold zeros while the time is taken, so that repeated
!> sums in place stay finite; a call with other values after it checks the result.
module caf_collective
  use caf_timing, only: check_written, dp, images, me, measure, report_wrong, selected
  implicit none
  private
  public :: run_reductions, run_broadcasts, run_allocation

  !> Elements of the rows: 1, 1k, 128k and 1M doubles.
  integer, parameter :: elements(4) = [1, 1024, 131072, 1048576]
  integer, parameter :: word_bytes = 8, middle = 1024, allocated_words = 1000

  real(dp), save :: scalar
  real(dp), allocatable, save :: operand(:)

contains

  !> co_sum of every size, co_sum_result, co_max, co_reduce.
  subroutine run_reductions()
    integer :: i, bytes
    real(dp) :: total
    total = real(images, dp)*(images + 1)/2
    do i = 1, size(elements)
      bytes = elements(i)*word_bytes
      if (.not. selected('co_sum', bytes)) cycle
      call fill(elements(i), 0.0_dp)
      if (elements(i) == 1) then
        call measure('co_sum', bytes, sum_scalar)
        scalar = me
        call co_sum(scalar)
        if (scalar /= total) call report_wrong('co_sum', bytes)
      else
        call check_written('co_sum', bytes, operand, elements(i))
        call measure('co_sum', bytes, sum_array)
        operand = me
        call co_sum(operand)
        if (any(operand /= total)) call report_wrong('co_sum', bytes)
      end if
    end do
    scalar = 0
    call measure('co_sum_result', word_bytes, sum_to_one)
    call measure('co_max', word_bytes, max_scalar)
    if (selected('co_reduce', middle*word_bytes)) then
      call fill(middle, 0.0_dp)
      call check_written('co_reduce', middle*word_bytes, operand, middle)
      call measure('co_reduce', middle*word_bytes, reduce_array)
      operand = me
      call co_reduce(operand, add)
      if (any(operand /= total)) call report_wrong('co_reduce', middle*word_bytes)
    end if
  end subroutine run_reductions

  !> co_broadcast of every size.
  subroutine run_broadcasts()
    integer :: i, bytes
    do i = 1, size(elements)
      bytes = elements(i)*word_bytes
      if (.not. selected('co_broadcast', bytes)) cycle
      call fill(elements(i), 0.0_dp)
      if (elements(i) == 1) then
        call measure('co_broadcast', bytes, broadcast_scalar)
        scalar = me
        call co_broadcast(scalar, 1)
        if (scalar /= 1) call report_wrong('co_broadcast', bytes)
      else
        call check_written('co_broadcast', bytes, operand, elements(i))
        call measure('co_broadcast', bytes, broadcast_array)
        operand = me
        call co_broadcast(operand, 1)
        if (any(operand /= 1)) call report_wrong('co_broadcast', bytes)
      end if
    end do
  end subroutine run_broadcasts

  !> allocate: allocation and deallocation of a coarray together.
  subroutine run_allocation()
    call measure('allocate', allocated_words*word_bytes, allocate_and_free)
  end subroutine run_allocation

  subroutine fill(n, value)
    integer, intent(in) :: n
    real(dp), intent(in) :: value
    if (allocated(operand)) deallocate (operand)
    allocate (operand(n))
    operand = value
    scalar = value
  end subroutine fill

  subroutine sum_scalar(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      call co_sum(scalar)
    end do
  end subroutine sum_scalar

  subroutine sum_array(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      call co_sum(operand)
    end do
  end subroutine sum_array

  subroutine sum_to_one(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      call co_sum(scalar, result_image=1)
    end do
  end subroutine sum_to_one

  subroutine max_scalar(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      call co_max(scalar)
    end do
  end subroutine max_scalar

  subroutine reduce_array(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      call co_reduce(operand, add)
    end do
  end subroutine reduce_array

  pure function add(a, b) result(total)
    real(dp), intent(in) :: a, b
    real(dp) :: total
    total = a + b
  end function add

  !> The barrier at the end of a batch keeps a root that runs ahead of the others from looking fast.
  subroutine broadcast_scalar(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      call co_broadcast(scalar, 1)
    end do
    sync all
  end subroutine broadcast_scalar

  subroutine broadcast_array(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      call co_broadcast(operand, 1)
    end do
    sync all
  end subroutine broadcast_array

  subroutine allocate_and_free(n)
    integer, intent(in) :: n
    integer :: i
    real(dp), allocatable :: block(:)[:]
    do i = 1, n
      allocate (block(allocated_words)[*])
      deallocate (block)
    end do
  end subroutine allocate_and_free

end module caf_collective
