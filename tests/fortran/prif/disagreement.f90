! Image 2 allocates or deallocates otherwise than the others, as the argument says. With stat the others and it get an error, and
! go on.
program disagreement
  use with_prif
  implicit none
  type(prif_coarray_handle) :: first, second, handle
  integer(c_int64_t), pointer :: local(:)
  type(c_ptr) :: memory
  character(len=30) :: what
  character(len=200) :: errmsg
  integer(c_size_t) :: bytes
  integer(c_int) :: stat
  logical :: is_second

  call get_command_argument(1, what)
  is_second = this_image() == 2
  bytes = merge(80, 40, is_second)
  call make(1, 1_c_int64_t, first, local)
  call make(1, 2_c_int64_t, second, local)
  select case (what)
  case ('size')
    call prif_allocate_coarray([1_c_int64_t], none, bytes, no_final, handle, memory)
  case ('size, stat')
    call prif_allocate_coarray([1_c_int64_t], none, bytes, no_final, handle, memory, stat, errmsg)
    call require(stat > 0, 'stat of prif_allocate_coarray')
    if (is_second) then
      call require_equal_text('prif_allocate_coarray: a coarray of 80 bytes here, of fewer bytes on image 3')
    else
      call require_equal_text('prif_allocate_coarray: a coarray of 40 bytes here, of 80 bytes on another image')
    end if
  case ('cobounds')
    call prif_allocate_coarray(lower(), upper(), 8_c_size_t, no_final, handle, memory)
  case ('cobounds, stat')
    call prif_allocate_coarray(lower(), upper(), 8_c_size_t, no_final, handle, memory, stat, errmsg)
    call require(stat > 0, 'stat of prif_allocate_coarray')
    call require(index(errmsg, ' gives other cobounds than another image') > 0, errmsg)
  case ('other')
    call prif_deallocate_coarray(merge_handles())
  case ('other, stat')
    call prif_deallocate_coarray(merge_handles(), stat, errmsg)
    call require(stat > 0, 'stat of prif_deallocate_coarray')
    call require_equal_text('prif_deallocate_coarray: the images do not free the same coarray')
  case ('no allocate')
    if (is_second) then
      call prif_sync_all()
    else
      call prif_allocate_coarray([1_c_int64_t], none, bytes, no_final, handle, memory)
    end if
  case ('no allocate, stat')
    if (is_second) then
      call prif_sync_all(stat, errmsg)
    else
      call prif_allocate_coarray([1_c_int64_t], none, bytes, no_final, handle, memory, stat, errmsg)
    end if
    call require(stat > 0 .and. index(errmsg, 'executes allocate (') > 0, errmsg)
  case ('no deallocate')
    if (is_second) then
      call prif_sync_all()
    else
      call prif_deallocate_coarray(first)
    end if
  case ('no deallocate, stat')
    if (is_second) then
      call prif_sync_all(stat, errmsg)
    else
      call prif_deallocate_coarray(first, stat, errmsg)
    end if
    call require(stat > 0 .and. index(errmsg, 'executes deallocate (') > 0, errmsg)
  end select

  ! All have the same coarrays as before.
  call prif_deallocate_coarray(first)
  call prif_allocate_coarray([1_c_int64_t], none, 8_c_size_t, no_final, handle, memory, stat)
  call is_fine(stat, 'prif_allocate_coarray')
  call prif_deallocate_coarray(second, stat)
  call is_fine(stat, 'prif_deallocate_coarray')

contains

  function lower()
    integer(c_int64_t) :: lower(2)
    lower = [1, 1]
    if (is_second) lower = [0, 1]
  end function

  function upper()
    integer(c_int64_t) :: upper(1)
    upper = merge(1, 2, is_second)
  end function

  type(prif_coarray_handle) function merge_handles() result(chosen)
    chosen = first
    if (is_second) chosen = second
  end function

  subroutine require_equal_text(text)
    character(*), intent(in) :: text
    call require(errmsg == text, errmsg)
  end subroutine
end program
