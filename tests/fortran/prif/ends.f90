! How programs end by PRIF: ends CASE. Callbacks write a line for each call.
module callbacks
  use with_prif
  implicit none
contains
  subroutine early(is_error_stop, quiet, stop_code_int, stop_code_char)
    logical(c_bool), intent(in) :: is_error_stop, quiet
    integer(c_int), intent(in), optional :: stop_code_int
    character(len=*), intent(in), optional :: stop_code_char
    call tell('early', is_error_stop, quiet, stop_code_int, stop_code_char)
  end subroutine

  subroutine late(is_error_stop, quiet, stop_code_int, stop_code_char)
    logical(c_bool), intent(in) :: is_error_stop, quiet
    integer(c_int), intent(in), optional :: stop_code_int
    character(len=*), intent(in), optional :: stop_code_char
    call tell('late', is_error_stop, quiet, stop_code_int, stop_code_char)
  end subroutine

  subroutine tell(name, is_error_stop, quiet, stop_code_int, stop_code_char)
    character(*), intent(in) :: name
    logical(c_bool), intent(in) :: is_error_stop, quiet
    integer(c_int), intent(in), optional :: stop_code_int
    character(len=*), intent(in), optional :: stop_code_char

    write (*, '(a, 2(1x, l1))', advance='no') name, is_error_stop, quiet
    if (present(stop_code_int)) write (*, '(1x, i0)', advance='no') stop_code_int
    if (present(stop_code_char)) write (*, '(1x, a)', advance='no') '"' // stop_code_char // '"'
    write (*, '()')
  end subroutine
end module

program ends
  use callbacks
  implicit none
  procedure(prif_stop_callback_interface), pointer :: callback
  character(len=20) :: way
  integer(c_int) :: stat, status
  integer(c_int), allocatable :: failed(:), stopped(:)
  type(prif_coarray_handle) :: handle
  integer(c_int64_t), pointer :: local(:)
  integer(c_int64_t), target :: buffer
  logical(c_bool), parameter :: quiet = .true., loud = .false.

  call prif_init(stat)
  call get_command_argument(1, way)
  select case (way)
  case ('stop')
    call prif_stop(loud)
  case ('stop-7')
    call prif_stop(loud, 7_c_int)
  case ('stop-quiet-8')
    call prif_stop(quiet, 8_c_int)
  case ('stop-text')
    call prif_stop(loud, stop_code_char='the end')
  case ('error-stop')
    call prif_error_stop(loud)
  case ('error-stop-9')
    call prif_error_stop(loud, 9_c_int)
  case ('error-stop-quiet')
    call prif_error_stop(quiet, 10_c_int)
  case ('error-stop-text')
    call prif_error_stop(quiet, stop_code_char='the end')
  case ('callbacks-stop', 'callbacks-error-stop')
    callback => early
    call prif_register_stop_callback(callback)
    callback => late
    call prif_register_stop_callback(callback)
    if (way == 'callbacks-stop') call prif_stop(quiet, 3_c_int)
    call prif_error_stop(quiet, stop_code_char='why')
  case ('one-fails')
    call make(1, int(me(), c_int64_t), handle, local)
    if (me() == 2) call prif_fail_image()
    call until_gone(PRIF_STAT_FAILED_IMAGE)
    call prif_failed_images(failed_images=failed)
    call require(all(failed == [2]), 'prif_failed_images')
    call prif_sync_all(stat)
    call require_equal(int(stat), int(PRIF_STAT_FAILED_IMAGE), 'stat of prif_sync_all')
    call prif_get(2_c_int, handle, 0_c_size_t, c_loc(buffer), 8_c_size_t, stat)
    call require_equal(int(stat), int(PRIF_STAT_FAILED_IMAGE), 'stat of prif_get')
    call prif_get(3_c_int, handle, 0_c_size_t, c_loc(buffer), 8_c_size_t, stat)
    call is_fine(stat, 'prif_get from an image that is left')
    call require_equal(int(buffer), 3, 'prif_get')
    call prif_deallocate_coarray(handle, stat)
    call require_equal(int(stat), int(PRIF_STAT_FAILED_IMAGE), 'stat of prif_deallocate_coarray')
    call prif_stop(quiet, 0_c_int)
  case ('one-stops')
    if (me() == 2) call prif_stop(quiet)
    call until_gone(PRIF_STAT_STOPPED_IMAGE)
    call prif_stopped_images(stopped_images=stopped)
    call require(all(stopped == [2]), 'prif_stopped_images')
    ! An image that has seen the list soon stops, too. The others must have seen it before.
    call prif_sync_images(pack([1_c_int, 3_c_int, 4_c_int], [1, 3, 4] /= me()), stat)
    call is_fine(stat, 'prif_sync_images with the images that are left')
    call prif_sync_all(stat)
    call require_equal(int(stat), int(PRIF_STAT_STOPPED_IMAGE), 'stat of prif_sync_all')
  case default
    error stop 'which way?'
  end select

contains

  !> Waits until image 2 has this status.
  subroutine until_gone(wanted)
    integer(c_int), intent(in) :: wanted
    do
      call prif_image_status(2_c_int, image_status=status)
      if (status == wanted) exit
      call require_equal(int(status), 0, 'prif_image_status')
    end do
  end subroutine
end program
