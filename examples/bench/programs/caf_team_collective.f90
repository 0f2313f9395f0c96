!> Rows of collective subroutines inside a team of all images. Operands are ordinary memory, zeros while the
!> time is taken; a call with other values after it checks the result.
module caf_team_collective
  use, intrinsic :: iso_fortran_env, only: team_type
  use caf_timing, only: check_written, dp, images, me, measure, report_wrong, selected
  implicit none
  private
  public :: run_team_collectives

  integer, parameter :: word_bytes = 8
  !> Elements of the sums: 8 B to 8 MiB.
  integer, parameter :: elements(9) = [1, 8, 128, 512, 2048, 8192, 32768, 131072, 1048576]
  !> Elements of the broadcast: 1 MiB.
  integer, parameter :: broadcast_elements = 131072

  type(team_type), save :: team
  real(dp), save :: scalar
  real(dp), allocatable, save :: operand(:)

contains

  !> team_sum of every size, team_broadcast.
  subroutine run_team_collectives()
    real(dp) :: total
    integer :: i, bytes
    logical :: formed
    formed = .false.
    total = real(images, dp)*(images + 1)/2
    do i = 1, size(elements)
      bytes = elements(i)*word_bytes
      if (.not. selected('team_sum', bytes)) cycle
      call form_once(formed)
      call fill(elements(i), 0.0_dp)
      if (elements(i) == 1) then
        call measure('team_sum', bytes, sum_scalar)
        scalar = me
        call sum_scalar(1)
        if (scalar /= total) call report_wrong('team_sum', bytes)
      else
        call check_written('team_sum', bytes, operand, elements(i))
        call measure('team_sum', bytes, sum_array)
        operand = me
        call sum_array(1)
        if (any(operand /= total)) call report_wrong('team_sum', bytes)
      end if
    end do
    bytes = broadcast_elements*word_bytes
    if (selected('team_broadcast', bytes)) then
      call form_once(formed)
      call fill(broadcast_elements, 0.0_dp)
      call check_written('team_broadcast', bytes, operand, broadcast_elements)
      call measure('team_broadcast', bytes, broadcast)
      operand = me
      call broadcast(1)
      if (any(operand /= 1)) call report_wrong('team_broadcast', bytes)
    end if
  end subroutine run_team_collectives

  subroutine form_once(formed)
    logical, intent(inout) :: formed
    if (.not. formed) then
      form team (1, team)
    end if
    formed = .true.
  end subroutine form_once

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
    change team (team)
      do i = 1, n
        call co_sum(scalar)
      end do
    end team
  end subroutine sum_scalar

  subroutine sum_array(n)
    integer, intent(in) :: n
    integer :: i
    change team (team)
      do i = 1, n
        call co_sum(operand)
      end do
    end team
  end subroutine sum_array

  !> The barrier of end team keeps a root that runs ahead of the others from looking fast.
  subroutine broadcast(n)
    integer, intent(in) :: n
    integer :: i
    change team (team)
      do i = 1, n
        call co_broadcast(operand, 1)
      end do
    end team
  end subroutine broadcast

end module caf_team_collective
