! Events: posts by handle and by address, waits for one and several, queries.
program events
  use with_prif
  implicit none
  type(prif_coarray_handle) :: events_
  type(c_ptr) :: memory
  type(prif_event_type), pointer :: event(:)
  integer(c_int64_t) :: count_
  integer(c_intptr_t), allocatable :: event_at(:)
  integer(c_int) :: right, stat
  integer :: i
  character(len=30) :: errmsg
  character(len=:), allocatable :: errmsg_alloc

  right = int(right_of(this_image()), c_int)
  call prif_allocate_coarray([1_c_int64_t], none, 24_c_size_t, no_final, events_, memory)
  call c_f_pointer(memory, event, [3])
  event = prif_event_type()
  call prif_sync_all()
  event_at = addresses(memory)

  ! One post and one wait for it, in each form.
  call prif_event_post(right, events_, 8_c_size_t)
  call prif_event_wait(c_loc(event(2)))
  call prif_event_post(right, events_, 8_c_size_t, stat, errmsg, errmsg_alloc)
  call is_fine(stat, 'prif_event_post')
  call prif_event_wait(c_loc(event(2)), 1_c_int64_t, stat, errmsg, errmsg_alloc)
  call is_fine(stat, 'prif_event_wait')
  call prif_event_post_indirect(right, event_at(right) + 8)
  call prif_event_wait(c_loc(event(2)), 0_c_int64_t)
  call prif_event_post_indirect(right, event_at(right) + 8, stat, errmsg, errmsg_alloc)
  call is_fine(stat, 'prif_event_post_indirect')
  call prif_event_wait(c_loc(event(2)))

  ! All post to all: a wait for some leaves the rest.
  do i = 1, num_images()
    call prif_event_post(int(i, c_int), events_, 16_c_size_t)
    call prif_event_post(int(i, c_int), events_, 16_c_size_t)
  end do
  ! So that the last post, which the wait does not need, has come before the query.
  call prif_sync_all()
  call prif_event_wait(c_loc(event(3)), int(2 * num_images() - 1, c_int64_t))
  call prif_event_query(c_loc(event(3)), count_)
  call require_equal(int(count_), 1, 'what is left')
  call prif_event_wait(c_loc(event(3)))
  call prif_event_query(c_loc(event(3)), count_, stat)
  call is_fine(stat, 'prif_event_query')
  call require_equal(int(count_), 0, 'nothing is left')
  call prif_deallocate_coarray(events_)
end program
