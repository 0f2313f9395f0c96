! Allocation and deallocation: sizes, stat, final procedures, context data, memory of one image.
module finals
  use with_prif
  implicit none
  integer :: called = 0
  integer(c_int64_t) :: seen = 0
contains
  !> Reads the coarray of the neighbour: it is there still.
  subroutine final(handle) bind(C)
    type(prif_coarray_handle), value, intent(in) :: handle
    type(c_ptr) :: memory
    integer(c_int64_t), pointer :: value
    integer(c_size_t) :: bytes
    integer(c_int64_t), target :: buffer

    called = called + 1
    call prif_size_bytes(handle, bytes)
    call require_equal(int(bytes), 8, 'size in the final procedure')
    call prif_local_data_pointer(handle, memory)
    call c_f_pointer(memory, value)
    seen = value
    call prif_get(int(right_of(this_image()), c_int), handle, 0_c_size_t, c_loc(buffer), 8_c_size_t)
    call require_equal(int(buffer), 100 + right_of(this_image()), 'the neighbour in the final procedure')
  end subroutine

  subroutine count_only(handle) bind(C)
    type(prif_coarray_handle), value, intent(in) :: handle
    type(c_ptr) :: context
    call prif_get_context_data(handle, context)
    call require(c_associated(context), 'context data in the final procedure')
    called = called + 10
  end subroutine
end module

program allocation
  use finals
  implicit none
  type(prif_coarray_handle) :: handle, some(3)
  type(prif_team_type) :: team
  type(c_ptr) :: memory, context
  integer(c_int) :: stat
  integer(c_size_t) :: bytes
  integer(c_int64_t), pointer :: local(:)
  integer(c_int64_t), target :: marked(2)
  procedure(prif_coarray_cleanup_interface), pointer :: with_final
  character(len=40) :: errmsg
  character(len=:), allocatable :: errmsg_alloc
  integer :: i, n

  ! Sizes, with and without the arguments for the outcome, which stay as they are.
  errmsg = 'before'
  do n = 0, 3000, 1000
    call prif_allocate_coarray([1_c_int64_t], none, int(8 * n, c_size_t), no_final, handle, memory, stat, &
      errmsg, errmsg_alloc)
    call is_fine(stat, 'prif_allocate_coarray')
    call require(errmsg == 'before' .and. .not. allocated(errmsg_alloc), 'errmsg without an error')
    call prif_size_bytes(handle, bytes)
    call require_equal(int(bytes), 8 * n, 'prif_size_bytes')
    call prif_local_data_pointer(handle, context)
    call require(address(context) == address(memory), 'prif_local_data_pointer')
    call c_f_pointer(memory, local, [n])
    local = me()
    call prif_deallocate_coarray(handle, stat, errmsg, errmsg_alloc)
    call is_fine(stat, 'prif_deallocate_coarray')
  end do

  ! Small coarrays are zeros, also in memory that was used before.
  do i = 1, 3
    call prif_allocate_coarray([1_c_int64_t], none, 64_c_size_t, no_final, handle, memory)
    call c_f_pointer(memory, local, [8])
    call require(all_zero(local), 'a new small coarray')
    local = -1
    call prif_deallocate_coarray(handle)
  end do

  ! Several at once, in another order.
  do i = 1, 3
    call prif_allocate_coarray([1_c_int64_t], none, int(100 * i, c_size_t), no_final, some(i), memory)
  end do
  call prif_deallocate_coarrays([some(2), some(3), some(1)])
  call prif_deallocate_coarrays(some(1:0), stat)
  call is_fine(stat, 'prif_deallocate_coarrays of none')

  ! Context data.
  call make(1, 0_c_int64_t, handle, local)
  call prif_get_context_data(handle, context)
  call require(.not. c_associated(context), 'context data before it is set')
  call prif_set_context_data(handle, c_loc(marked(2)))
  call prif_get_context_data(handle, context)
  call require(address(context) == address(c_loc(marked(2))), 'context data')
  call prif_deallocate_coarray(handle)

  ! Final procedures: before the memory is gone, on all images.
  with_final => final
  call prif_allocate_coarray([1_c_int64_t], none, 8_c_size_t, with_final, handle, memory)
  call c_f_pointer(memory, local, [1])
  local = 100 + me()
  call prif_deallocate_coarray(handle)
  call require_equal(called, 1, 'calls of the final procedure')
  call require_equal(int(seen), 100 + this_image(), 'what it has seen')

  ! At the end of a team: of the coarrays that were allocated there.
  called = 0
  with_final => count_only
  call prif_allocate_coarray([1_c_int64_t], none, 8_c_size_t, with_final, handle, memory)
  call prif_set_context_data(handle, c_loc(marked(1)))
  call prif_form_team(int(1 + mod(me() - 1, 2), c_int64_t), team)
  call prif_change_team(team)
  do i = 1, 2
    call prif_allocate_coarray([1_c_int64_t], none, 8_c_size_t, with_final, some(i), memory)
    call prif_set_context_data(some(i), c_loc(marked(1)))
  end do
  call prif_allocate_coarray([1_c_int64_t], none, 8_c_size_t, no_final, some(3), memory)
  call prif_deallocate_coarray(some(2))
  call require_equal(called, 10, 'calls in the team')
  call prif_end_team()
  call require_equal(called, 20, 'calls at the end of the team')
  call prif_deallocate_coarray(handle)
  call require_equal(called, 30, 'calls after the team')

  ! Memory of one image: others reach it by its address.
  call one_image()
  call prif_sync_all()

contains

  logical function all_zero(values)
    integer(c_int64_t), intent(in) :: values(:)
    all_zero = all(values == 0)
  end function

  subroutine one_image()
    type(c_ptr) :: mine, more
    integer(c_intptr_t) :: where_(num_images())
    integer(c_int64_t), pointer :: values(:)
    integer(c_int64_t), target :: got(4)
    integer(c_int) :: from

    call prif_allocate(int(8 * 4 * me(), c_size_t), mine)
    call prif_allocate(0_c_size_t, more, stat, errmsg, errmsg_alloc)
    call is_fine(stat, 'prif_allocate')
    call require(.not. c_associated(mine, more), 'two pieces of memory')
    call c_f_pointer(mine, values, [4])
    values = 10 * me() + [1, 2, 3, 4]
    where_ = addresses(mine)
    from = int(right_of(this_image()), c_int)
    call prif_get_indirect(from, where_(from), c_loc(got), 32_c_size_t)
    call require(all(got == 10 * from + [1, 2, 3, 4]), 'memory of another image')
    call prif_sync_all()
    call prif_deallocate(more)
    call prif_deallocate(mine, stat, errmsg, errmsg_alloc)
    call is_fine(stat, 'prif_deallocate')
  end subroutine
end program
