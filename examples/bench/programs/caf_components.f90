!> What the rows of `caf_components` access.
module caf_holders
  use caf_timing, only: dp
  implicit none
  private
  integer, parameter, public :: elements = 1000
  !> A component, and something around it.
  type, public :: holder
    integer :: before
    real(dp), allocatable :: values(:)
  end type holder
  type(holder), save, public :: held[*]
  real(dp), save, public :: line(elements)
  !> Its component lies before the other one.
  type(holder), save, public :: filler[*]
  !> Keeps the values read alive.
  real(dp), save, public :: sink
end module caf_holders

!> Rows of allocatable components of a coarray: what gfortran 12 to 14 access by reference.
module caf_components
  use, intrinsic :: iso_c_binding, only: c_intptr_t
  use caf_holders, only: elements, filler, held, line, sink
  use caf_timing, only: check_written, dp, last_count, me, measure, partner, report_wrong, row_body
  implicit none
  private
  public :: run_components

  integer, parameter :: word_bytes = 8

  procedure(row_body) :: put_component_word, get_component_word, put_component_line, get_component_line

contains

  !> put8_component, get8_component, put_component, get_component.
  subroutine run_components()
    call place_values()
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
    call check_written('put_component', elements*word_bytes, line, elements)
    call measure('put_component', elements*word_bytes, put_component_line)
    if (me == partner .and. last_count > 0) then
      if (any(held%values /= 7)) call report_wrong('put_component', elements*word_bytes)
    end if
    sync all
    held%values = me
    call measure('get_component', elements*word_bytes, get_component_line)
    if (me == 1) then
      if (any(line /= partner)) call report_wrong('get_component', elements*word_bytes)
    end if
    deallocate (filler%values)
  end subroutine run_components

  !> Allocates the component so that it begins about half a page beside `line`: `filler`, allocated before it, is made longer until
  !> it does. Where both begin at about the same place of a page, processors take a load for one of what was just stored, and
  !> wait: which library is hit would be chance. (A library whose components do not lie behind one another has the last length.)
  subroutine place_values()
    integer, parameter :: page_words = 512, step = 64
    integer :: words, beside
    do words = step, page_words, step
      allocate (filler%values(words))
      allocate (held%values(elements))
      beside = int(modulo((loc(held%values) - loc(line))/word_bytes, int(page_words, c_intptr_t)))
      call co_broadcast(beside, 1)
      if (abs(beside - page_words/2) <= step .or. words == page_words) return
      deallocate (held%values)
      deallocate (filler%values)
    end do
  end subroutine place_values

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
  use caf_holders, only: held, line
  use caf_timing, only: me, partner
  implicit none
  integer, intent(in) :: n
  integer :: i
  if (me /= 1) return
  do i = 1, n
    held[partner]%values(:) = line
  end do
  sync memory
end subroutine put_component_line

subroutine get_component_line(n)
  use caf_holders, only: held, line
  use caf_timing, only: me, partner
  implicit none
  integer, intent(in) :: n
  integer :: i
  if (me /= 1) return
  do i = 1, n
    line = held[partner]%values(:)
  end do
end subroutine get_component_line
