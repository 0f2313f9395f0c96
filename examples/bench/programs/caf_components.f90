!> Rows of allocatable components of a coarray: what gfortran 12 to 14 access by reference.
module caf_components
  use caf_timing, only: dp, last_count, me, measure, partner, report_wrong
  implicit none
  private
  public :: run_components

  integer, parameter :: elements = 1000, word_bytes = 8
  !> A component, and something around it.
  type :: holder
    integer :: before
    real(dp), allocatable :: values(:)
  end type holder
  type(holder), save :: held[*]
  real(dp), save :: line(elements)
  !> Keeps the values read alive.
  real(dp), save :: sink

contains

  !> put8_component, get8_component, put_component, get_component.
  subroutine run_components()
    allocate (held%values(elements))
    held%values = 0
    sync all
    call measure('put8_component', word_bytes, put_word)
    if (me == partner .and. held%values(5) /= last_count) call report_wrong('put8_component', word_bytes)
    sync all
    held%values = me
    call measure('get8_component', word_bytes, get_word)
    if (me == 1 .and. sink /= real(partner, dp)*last_count) call report_wrong('get8_component', word_bytes)
    line = 7
    call measure('put_component', elements*word_bytes, put_line)
    if (me == partner .and. last_count > 0) then
      if (any(held%values /= 7)) call report_wrong('put_component', elements*word_bytes)
    end if
    sync all
    held%values = me
    call measure('get_component', elements*word_bytes, get_line)
    if (me == 1) then
      if (any(line /= partner)) call report_wrong('get_component', elements*word_bytes)
    end if
  end subroutine run_components

  subroutine put_word(n)
    integer, intent(in) :: n
    integer :: i
    if (me /= 1) return
    do i = 1, n
      held[partner]%values(5) = real(i, dp)
    end do
    sync memory
  end subroutine put_word

  subroutine get_word(n)
    integer, intent(in) :: n
    integer :: i
    real(dp) :: total
    if (me /= 1) return
    total = 0
    do i = 1, n
      total = total + held[partner]%values(5)
    end do
    sink = total
  end subroutine get_word

  subroutine put_line(n)
    integer, intent(in) :: n
    integer :: i
    if (me /= 1) return
    do i = 1, n
      held[partner]%values(:) = line
    end do
    sync memory
  end subroutine put_line

  subroutine get_line(n)
    integer, intent(in) :: n
    integer :: i
    if (me /= 1) return
    do i = 1, n
      line = held[partner]%values(:)
    end do
  end subroutine get_line

end module caf_components
