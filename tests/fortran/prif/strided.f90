! Strided puts and gets: to coarrays and to addresses, backwards, of several dimensions, with notification.
program strided
  use with_prif
  implicit none
  integer, parameter :: n = 12
  type(prif_coarray_handle) :: data, flags
  type(c_ptr) :: memory
  integer(c_int64_t), pointer :: local(:), grid(:, :), notified(:)
  integer(c_int64_t), target :: buffer(n, n), section(3, 4)
  integer(c_intptr_t), allocatable :: data_at(:), flags_at(:)
  integer(c_size_t), parameter :: word = 8
  integer(c_ptrdiff_t), parameter :: column = 8 * n
  integer(c_int) :: right, left, stat
  integer :: i, form
  character(len=30) :: errmsg
  character(len=:), allocatable :: errmsg_alloc

  right = int(right_of(this_image()), c_int)
  left = int(left_of(this_image()), c_int)
  call make(n * n, 0_c_int64_t, data, local)
  call make(6, 0_c_int64_t, flags, notified)
  grid(1:n, 1:n) => local
  call prif_local_data_pointer(data, memory)
  data_at = addresses(memory)
  call prif_local_data_pointer(flags, memory)
  flags_at = addresses(memory)

  ! Rows 2, 5, 8 of columns 3, 5, 7, 9 of the neighbour, from columns in one piece, in each form.
  do form = 1, 6
    section = reshape([(100 * me() + 10 * form + i, i = 1, 12)], [3, 4])
    grid = 0
    call prif_sync_all()
    call put(form)
    if (form > 2) then
      call prif_notify_wait(c_loc(notified(form)))
    else
      call prif_sync_all()
    end if
    call require(all(grid(2:8:3, 3:9:2) == section + 100 * (left - me())), 'a strided put')
    call require_equal(count(grid /= 0), 12, 'elements that were put')
    call prif_sync_all()
  end do

  ! Gets of the same, the rows in reverse order.
  grid = reshape([(1000 * me() + i, i = 1, n * n)], [n, n])
  call prif_sync_all()
  section = 0
  call prif_get_strided(right, data, offset(8, 3), [-24_c_ptrdiff_t, 2 * column], c_loc(section), &
    [8_c_ptrdiff_t, 24_c_ptrdiff_t], word, [3_c_size_t, 4_c_size_t])
  call require(all(section == grid(8:2:-3, 3:9:2) + 1000 * (right - me())), 'prif_get_strided')
  section = 0
  call prif_get_strided_indirect(left, data_at(left) + int(offset(8, 3), c_intptr_t), [-24_c_ptrdiff_t, 2 * column], &
    c_loc(section), [8_c_ptrdiff_t, 24_c_ptrdiff_t], word, [3_c_size_t, 4_c_size_t], stat, errmsg, errmsg_alloc)
  call is_fine(stat, 'prif_get_strided_indirect')
  call require(all(section == grid(8:2:-3, 3:9:2) + 1000 * (left - me())), 'prif_get_strided_indirect')

  ! A scalar, an array without elements, elements of two words, and both sides with gaps.
  buffer = 0
  call prif_get_strided(right, data, 0_c_size_t, none_of(), c_loc(buffer), none_of(), word, no_extent())
  call require_equal(int(buffer(1, 1)), 1000 * right + 1, 'a scalar')
  call prif_get_strided(right, data, 0_c_size_t, [8_c_ptrdiff_t], c_loc(buffer), [8_c_ptrdiff_t], word, [0_c_size_t])
  call prif_get_strided(right, data, 8_c_size_t, [column], c_loc(buffer(3, 1)), [2 * column], 2 * word, [4_c_size_t])
  call require(all(buffer(3:4, 1:7:2) == grid(2:3, 1:4) + 1000 * (right - me())), 'elements of two words')
  call require_equal(count(buffer /= 0), 9, 'elements that were got')
  call prif_sync_all()
  call prif_deallocate_coarrays([flags, data])

contains

  !> The offset of an element of the grid.
  integer(c_size_t) function offset(row, column_)
    integer, intent(in) :: row, column_
    offset = 8 * (row - 1 + n * (column_ - 1))
  end function

  function none_of() result(strides)
    integer(c_ptrdiff_t) :: strides(0)
  end function

  function no_extent() result(extent)
    integer(c_size_t) :: extent(0)
  end function

  subroutine put(form)
    integer, intent(in) :: form
    integer(c_ptrdiff_t) :: there(2), here(2)
    integer(c_size_t) :: extent(2)
    integer(c_intptr_t) :: at, notify
    integer(c_size_t) :: notify_offset

    there = [24_c_ptrdiff_t, 2 * column]
    here = [8_c_ptrdiff_t, 24_c_ptrdiff_t]
    extent = [3_c_size_t, 4_c_size_t]
    at = data_at(right) + int(offset(2, 3), c_intptr_t)
    notify_offset = 8 * (form - 1)
    notify = flags_at(right) + int(notify_offset, c_intptr_t)
    select case (form)
    case (1)
      call prif_put_strided(right, data, offset(2, 3), there, c_loc(section), here, word, extent)
    case (2)
      call prif_put_strided_indirect(right, at, there, c_loc(section), here, word, extent, stat, errmsg, errmsg_alloc)
      call is_fine(stat, 'prif_put_strided_indirect')
    case (3)
      call prif_put_strided_with_notify(right, data, offset(2, 3), there, c_loc(section), here, word, extent, &
        flags, notify_offset)
    case (4)
      call prif_put_strided_with_notify_indirect(right, data, offset(2, 3), there, c_loc(section), here, word, extent, &
        notify, stat, errmsg, errmsg_alloc)
    case (5)
      call prif_put_strided_indirect_with_notify(right, at, there, c_loc(section), here, word, extent, flags, &
        notify_offset, stat)
    case (6)
      call prif_put_strided_indirect_with_notify_indirect(right, at, there, c_loc(section), here, word, extent, notify)
    end select
  end subroutine
end program
