! Image 1 has no room for a coarray, because of memory that it alone has allocated: no image keeps the coarray, however often
! they try, and when there is room all have it at the same place. To be run with XMP_SEGMENT_SIZE=64M.
program failed_allocation
  use with_prif
  implicit none
  integer(c_size_t), parameter :: mebibyte = 2**20
  type(prif_coarray_handle) :: handle
  type(c_ptr) :: own, memory
  integer(c_int64_t), pointer :: local(:)
  integer(c_int64_t), target :: got
  integer(c_int) :: stat
  character(len=200) :: errmsg
  character(len=*), parameter :: what = 'prif_allocate_coarray: '
  integer :: i

  if (me() == 1) call prif_allocate(40 * mebibyte, own)
  do i = 1, 5
    call prif_allocate_coarray([1_c_int64_t], none, 20 * mebibyte, no_final, handle, memory, stat, errmsg)
    call require_equal(int(stat), int(PRIF_STAT_OUT_OF_MEMORY), 'stat')
    if (me() == 1) then
      call require(index(errmsg, what // 'out of memory: 20 MiB requested') == 1, errmsg)
    else
      call require(errmsg == what // 'image 1: no room for a coarray of 20971520 bytes', errmsg)
    end if
  end do
  if (me() == 1) call prif_deallocate(own)
  call prif_allocate_coarray([1_c_int64_t], none, 40 * mebibyte, no_final, handle, memory, stat, errmsg)
  call is_fine(stat, 'prif_allocate_coarray where there is room')
  call c_f_pointer(memory, local, [1])
  local = me()
  call prif_sync_all()
  call prif_get(int(right_of(this_image()), c_int), handle, 0_c_size_t, c_loc(got), 8_c_size_t)
  call require_equal(int(got), right_of(this_image()), 'the coarray of another image')
  call prif_sync_all()
end program
