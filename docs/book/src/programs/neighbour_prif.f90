! Every image puts its number into the coarray of the next one, by PRIF.
program neighbour
  use, intrinsic :: iso_c_binding
  use prif
  implicit none
  integer(c_int64_t), parameter :: none(0) = 0
  procedure(prif_coarray_cleanup_interface), pointer :: no_final => null()
  type(prif_coarray_handle) :: handle
  type(c_ptr) :: memory
  integer(c_int), pointer :: from
  integer(c_int), target :: me
  integer(c_int) :: images, next, stat
  character(len=80) :: message

  call prif_init(stat)
  call prif_this_image_no_coarray(this_image=me)
  call prif_num_images(images)

  ! integer(c_int) :: from[*]
  call prif_allocate_coarray([1_c_int64_t], none, c_sizeof(me), no_final, handle, memory)
  call c_f_pointer(memory, from)

  ! from[next] = me
  next = modulo(me, images) + 1
  call prif_put(next, handle, 0_c_size_t, c_loc(me), c_sizeof(me))
  call prif_sync_all()
  print '(a, i0, a, i0)', 'image ', me, ' has got ', from

  ! from[images + 1] = me
  call prif_put(images + 1_c_int, handle, 0_c_size_t, c_loc(me), c_sizeof(me), stat, message)
  if (me == 1) print '(a)', trim(message)
  call prif_deallocate_coarray(handle)
  call prif_stop(quiet=.true._c_bool)
end program
