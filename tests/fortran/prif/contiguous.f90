! Puts and gets of bytes: to coarrays and to addresses, with and without notification, in teams.
program contiguous
  use with_prif
  implicit none
  integer, parameter :: n = 1000
  type(prif_coarray_handle) :: data, flags
  type(prif_team_type) :: team
  type(c_ptr) :: memory
  integer(c_int64_t), pointer :: local(:), notified(:)
  integer(c_int64_t), target :: buffer(n)
  integer(c_intptr_t), allocatable :: data_at(:), flags_at(:)
  integer(c_size_t), parameter :: all = 8 * n, word = 8
  integer(c_int) :: right, left, stat
  character(len=30) :: errmsg
  character(len=:), allocatable :: errmsg_alloc

  right = int(right_of(this_image()), c_int)
  left = int(left_of(this_image()), c_int)
  call make(n, -1_c_int64_t, data, local)
  call make(8, 0_c_int64_t, flags, notified)
  call prif_local_data_pointer(data, memory)
  data_at = addresses(memory)
  call prif_local_data_pointer(flags, memory)
  flags_at = addresses(memory)

  ! One word, and many, with and without stat.
  buffer = 1000 * me()
  call prif_put(right, data, 0_c_size_t, c_loc(buffer), word)
  call prif_put(right, data, 8_c_size_t, c_loc(buffer), all - 8_c_size_t, stat, errmsg, errmsg_alloc)
  call is_fine(stat, 'prif_put')
  call prif_put(right, data, 0_c_size_t, c_loc(buffer), 0_c_size_t)
  call prif_sync_all()
  call require(same(local, 1000 * left), 'prif_put')
  call prif_sync_all()
  local = 2000 * me()
  call prif_sync_all()
  buffer = 0
  call prif_get(left, data, 0_c_size_t, c_loc(buffer), all)
  call require(same(buffer, 2000 * left), 'prif_get')
  buffer = 0
  call prif_get(right, data, all - 8_c_size_t, c_loc(buffer(n)), word, stat, errmsg, errmsg_alloc)
  call is_fine(stat, 'prif_get')
  call require(buffer(n) == 2000 * right .and. same(buffer(:n - 1), 0), 'prif_get of one word')
  call prif_sync_all()

  ! By address.
  buffer = 3000 * me()
  call prif_put_indirect(right, data_at(right), c_loc(buffer), all)
  call prif_sync_all()
  call require(same(local, 3000 * left), 'prif_put_indirect')
  call prif_get_indirect(left, data_at(left) + 16, c_loc(buffer), all - 16_c_size_t, stat, errmsg, errmsg_alloc)
  call is_fine(stat, 'prif_get_indirect')
  call require(same(buffer(:n - 2), 3000 * left_of(left_of(this_image()))), 'prif_get_indirect')
  call prif_sync_all()

  ! With a notification, in the four forms; the last wait is for two.
  buffer = 4000 * me()
  call prif_put_with_notify(right, data, 0_c_size_t, c_loc(buffer), all, flags, 0_c_size_t)
  call prif_notify_wait(c_loc(notified(1)))
  call require(same(local, 4000 * left), 'prif_put_with_notify')
  call prif_sync_all()
  buffer = 5000 * me()
  call prif_put_with_notify_indirect(right, data, 0_c_size_t, c_loc(buffer), all, flags_at(right) + 8, stat)
  call is_fine(stat, 'prif_put_with_notify_indirect')
  call prif_notify_wait(c_loc(notified(2)), 1_c_int64_t, stat, errmsg, errmsg_alloc)
  call is_fine(stat, 'prif_notify_wait')
  call require(same(local, 5000 * left), 'prif_put_with_notify_indirect')
  call prif_sync_all()
  buffer = 6000 * me()
  call prif_put_indirect_with_notify(right, data_at(right), c_loc(buffer), all, flags, 16_c_size_t)
  buffer(1) = buffer(1) + 1
  call prif_put_indirect_with_notify_indirect(right, data_at(right), c_loc(buffer), word, flags_at(right) + 16, stat, &
    errmsg, errmsg_alloc)
  call prif_notify_wait(c_loc(notified(3)), 2_c_int64_t)
  call require(same(local(2:), 6000 * left) .and. local(1) == 6000 * left + 1, 'two notifications')
  call require(same(notified, 0), 'notifications that were waited for')
  call prif_sync_all()

  ! In a team image indices count in the initial team still.
  call prif_form_team(int(me(), c_int64_t), team)
  call prif_change_team(team)
  buffer = 7000 * left
  call prif_put(right, data, 0_c_size_t, c_loc(buffer), all)
  call prif_end_team()
  call prif_sync_all()
  call require(same(local, 7000 * left_of(left_of(this_image()))), 'prif_put in a team')
  call prif_sync_all()
  call prif_deallocate_coarrays([data, flags])

contains

  logical function same(values, value)
    integer(c_int64_t), intent(in) :: values(:)
    integer, intent(in) :: value
    same = .not. any(values /= value)
  end function
end program
