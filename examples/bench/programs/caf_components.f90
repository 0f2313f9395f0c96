!> What the rows of `caf_components` access.
module caf_holders
  use caf_timing, only: dp, least_page_words
  implicit none
  private
  integer, parameter, public :: elements = 1000
  !> A component, and something around it.
  type, public :: holder
    integer :: before
    real(dp), allocatable :: values(:)
  end type holder
  type(holder), save, public :: held[*]
  !> What the rows of arrays put and get: the words of `line` from `first` on.
  real(dp), save, public :: line(least_page_words + elements)
  integer, save, public :: first
  !> Keeps the values read alive.
  real(dp), save, public :: sink
end module caf_holders

!> Rows of allocatable components of a coarray: what gfortran 12 to 14 access by reference.
module caf_components
  use caf_holders, only: elements, first, held, line, sink
  use caf_timing, only: check_written, dp, last_count, me, measure, partner, report_wrong, row_body, words_beside
  implicit none
  private
  public :: run_components

  integer, parameter :: word_bytes = 8

  procedure(row_body) :: put_component_word, get_component_word, put_component_line, get_component_line

contains

  !> put8_component, get8_component, put_component, get_component.
  subroutine run_components()
    allocate (held%values(elements))
    first = 1 + words_beside(loc(line), loc(held%values))
    held%values = 0
    sync all
    call measure('put8_component', word_bytes, put_component_word)
    if (me == partner .and. held%values(5) /= last_count) call report_wrong('put8_component', word_bytes)
    sync all
    held%values = me
    call measure('get8_component', word_bytes, get_component_word)
    if (me == 1 .and. sink /= real(partner, dp)*last_count) call report_wrong('get8_component', word_bytes)
    line = 7
    call check_written('put_component', elements*word_bytes, held%values, elements)
    call check_written('put_component', elements*word_bytes, line, size(line))
    call measure('put_component', elements*word_bytes, put_component_line)
    if (me == partner .and. last_count > 0) then
      if (any(held%values /= 7)) call report_wrong('put_component', elements*word_bytes)
    end if
    sync all
    held%values = me
    call measure('get_component', elements*word_bytes, get_component_line)
    if (me == 1) then
      if (any(line(first:first + elements - 1) /= partner)) call report_wrong('get_component', elements*word_bytes)
    end if
  end subroutine run_components

end module caf_components

subroutine put_component_word(n)
  use caf_holders, only: held
  use caf_timing, only: dp, me, partner
  implicit none
  integer, intent(in) :: n
  integer :: i
  if (me /= 1) return
  do i = 1, n
    held[partner]%values(5) = real(i, dp)
  end do
  sync memory
end subroutine put_component_word

subroutine get_component_word(n)
  use caf_holders, only: held, sink
  use caf_timing, only: dp, me, partner
  implicit none
  integer, intent(in) :: n
  integer :: i
  real(dp) :: total
  if (me /= 1) return
  total = 0
  do i = 1, n
    total = total + held[partner]%values(5)
  end do
  sink = total
end subroutine get_component_word

subroutine put_component_line(n)
  use caf_holders, only: first, line
  use caf_timing, only: me
  implicit none
  integer, intent(in) :: n
  if (me == 1) call put_lines(n, line(first))
end subroutine put_component_line

subroutine put_lines(n, values)
  use caf_holders, only: elements, held
  use caf_timing, only: dp, partner
  implicit none
  integer, intent(in) :: n
  real(dp), intent(in) :: values(elements)
  integer :: i
  do i = 1, n
    held[partner]%values(:) = values
  end do
  sync memory
end subroutine put_lines

subroutine get_component_line(n)
  use caf_holders, only: first, line
  use caf_timing, only: me
  implicit none
  integer, intent(in) :: n
  if (me == 1) call get_lines(n, line(first))
end subroutine get_component_line

subroutine get_lines(n, values)
  use caf_holders, only: elements, held
  use caf_timing, only: dp, partner
  implicit none
  integer, intent(in) :: n
  real(dp), intent(inout) :: values(elements)
  integer :: i
  do i = 1, n
    values = held[partner]%values(:)
  end do
end subroutine get_lines
