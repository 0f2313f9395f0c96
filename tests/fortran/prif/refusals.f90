! Arguments that cannot be: stat and messages where they are given, nothing is written, and no image hangs. With the name
! of a case that call has no stat, and ends the program.
program refusals
  use with_prif
  implicit none
  type(prif_coarray_handle) :: data, freed, missing, alias, of_team
  type(prif_team_type) :: undefined, team, found
  type(c_ptr) :: memory
  integer(c_int64_t), pointer :: local(:), of_team_local(:)
  integer(c_int64_t), target :: buffer(4)
  integer(c_int64_t) :: bounds(2)
  integer(PRIF_ATOMIC_INT_KIND) :: old
  integer(c_int) :: stat, index
  character(len=250) :: errmsg
  character(len=:), allocatable :: errmsg_alloc
  character(len=20) :: case_
  character(len=*), parameter :: text = 'unchanged'
  integer :: n
  logical :: flag = .true.

  call get_command_argument(1, case_)
  n = num_images()
  call make(4, 5_c_int64_t, data, local)
  call make(4, 5_c_int64_t, freed, of_team_local)
  call prif_deallocate_coarray(freed)
  buffer = 6

  select case (case_)
  case ('')
  case ('put')
    call prif_put(99_c_int, data, 0_c_size_t, c_loc(buffer), 8_c_size_t)
  case ('get')
    call prif_get(1_c_int, missing, 0_c_size_t, c_loc(buffer), 8_c_size_t)
  case ('image_index')
    call prif_image_index(data, bounds, index)
  case ('get_team')
    call prif_get_team(17_c_int, found)
  case ('co_sum')
    call prif_co_sum(buffer, 77_c_int)
  case ('alias_destroy')
    call prif_alias_destroy(data)
  end select

  ! Image indices, handles, offsets, sizes, addresses of put.
  call put(0_c_int, data, 0_c_size_t, 8_c_size_t, 'prif_put: image index 0 is not in 1:')
  call put(int(n + 1, c_int), data, 0_c_size_t, 8_c_size_t, 'prif_put: image index')
  call put(-huge(1_c_int), data, 0_c_size_t, 8_c_size_t, 'prif_put: image index -2147483647 is not in 1:')
  call put(1_c_int, missing, 0_c_size_t, 8_c_size_t, 'prif_put: coarray_handle is null: no coarray was allocated with it')
  call put(1_c_int, freed, 0_c_size_t, 8_c_size_t, 'prif_put: coarray_handle 0x')
  call put(1_c_int, data, 25_c_size_t, 8_c_size_t, 'prif_put: bytes 25 to 32 are not within the coarray of 32 bytes')
  call put(1_c_int, data, -8_c_size_t, 8_c_size_t, 'prif_put: bytes')
  call put(1_c_int, data, 0_c_size_t, -1_c_size_t, 'prif_put: size overflow: size_in_bytes 18446744073709551615')
  call start()
  call prif_put(1_c_int, data, 0_c_size_t, c_null_ptr, 8_c_size_t, stat, errmsg, errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_put: current_image_buffer is null')
  call start()
  call prif_get(int(n + 7, c_int), data, 0_c_size_t, c_loc(buffer), 8_c_size_t, stat, errmsg, errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_get: image index')
  call start()
  call prif_get(1_c_int, data, 0_c_size_t, c_loc(buffer), 33_c_size_t, stat, errmsg, errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_get: bytes 0 to 32 are not within the coarray of 32 bytes')

  ! Addresses, and their ends.
  call start()
  call prif_put_indirect(1_c_int, address(c_loc(buffer)), c_loc(buffer), 8_c_size_t, stat, errmsg, errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_put_indirect: remote_ptr 0x')
  call start()
  call prif_get_indirect(1_c_int, 0_c_intptr_t, c_loc(buffer), 8_c_size_t, stat, errmsg, errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_get_indirect: remote_ptr 0x0 is not within')
  call start()
  call prif_put_with_notify(1_c_int, data, 0_c_size_t, c_loc(buffer), 8_c_size_t, data, 4_c_size_t, stat, errmsg, &
    errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_put_with_notify: byte 4 of notify_coarray_handle is not aligned')
  call start()
  call prif_put_with_notify(1_c_int, data, 0_c_size_t, c_loc(buffer), 8_c_size_t, missing, 0_c_size_t, stat, errmsg, &
    errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_put_with_notify: notify_coarray_handle is null')

  ! Sections.
  call start()
  call prif_put_strided(1_c_int, data, 0_c_size_t, [16_c_ptrdiff_t], c_loc(buffer), [8_c_ptrdiff_t], 8_c_size_t, &
    [3_c_size_t], stat, errmsg, errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_put_strided: bytes 0 to 39 are not within the coarray of 32 bytes')
  call start()
  call prif_get_strided(1_c_int, data, 8_c_size_t, [-8_c_ptrdiff_t], c_loc(buffer), [8_c_ptrdiff_t], 8_c_size_t, &
    [3_c_size_t], stat, errmsg, errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_get_strided: bytes -8 to 15 are not within the coarray of 32 bytes')
  call start()
  call prif_put_strided(1_c_int, data, 0_c_size_t, [8_c_ptrdiff_t], c_loc(buffer), [8_c_ptrdiff_t], 8_c_size_t, &
    [2_c_size_t, 2_c_size_t], stat, errmsg, errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_put_strided: remote_stride has 1 element, and extent 2')

  ! Atomics, locks, events.
  call start()
  call prif_atomic_add(1_c_int, data, 4_c_size_t, 1_8, stat)
  call require(stat > 0, 'an atomic variable that is not aligned')
  call prif_atomic_fetch_add(int(n + 1, c_int), data, 0_c_size_t, 1_8, old, stat)
  call require(stat > 0, 'an atomic variable of no image')
  call start()
  call prif_lock(1_c_int, data, 32_c_size_t, stat=stat, errmsg=errmsg, errmsg_alloc=errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_lock: bytes 32 to 39 are not within the coarray of 32 bytes')
  call start()
  call prif_event_post(0_c_int, data, 0_c_size_t, stat, errmsg, errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_event_post: image index 0')
  call start()
  call prif_event_wait(c_loc(buffer), stat=stat, errmsg=errmsg, errmsg_alloc=errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_event_wait: event_var_ptr 0x')
  call start()
  call prif_critical(missing, stat, errmsg, errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_critical: critical_coarray is null')

  ! Allocation: cobounds, sizes, handles, aliases.
  call allocate_([integer(c_int64_t) ::], none, 8_c_size_t, 'prif_allocate_coarray: lcobounds has 0 elements')
  call allocate_([1_c_int64_t, 1_c_int64_t], none, 8_c_size_t, 'prif_allocate_coarray: ucobounds has 0 elements')
  call allocate_([1_c_int64_t, 3_c_int64_t], [2_c_int64_t, 2_c_int64_t], 8_c_size_t, &
    'prif_allocate_coarray: lcobounds and ucobounds: codimension 2 has the bounds 3 and 2')
  call allocate_([1_c_int64_t], none, huge(1_c_size_t), 'prif_allocate_coarray: out of memory')
  call require_equal(int(stat), int(PRIF_STAT_OUT_OF_MEMORY), 'stat without memory')
  call start()
  call prif_allocate(huge(1_c_size_t), memory, stat, errmsg, errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_allocate: out of memory')
  call start()
  call prif_deallocate(c_loc(buffer), stat, errmsg, errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_deallocate: mem 0x')
  call start()
  call prif_deallocate(c_null_ptr, stat, errmsg, errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_deallocate: mem 0x0')
  call deallocate_([missing], 'prif_deallocate_coarrays: coarray_handles is null')
  call deallocate_([freed], 'prif_deallocate_coarrays: coarray_handles 0x')
  call deallocate_([data, data], 'prif_deallocate_coarrays: element 2 of coarray_handles is there before')
  call prif_alias_create(data, [1_c_int64_t], none, 0_c_size_t, alias)
  call deallocate_([alias], 'prif_deallocate_coarrays: coarray_handles is an alias')

  ! Teams: variables that are not defined, the wrong team, the end of no team, numbers.
  call start()
  call prif_change_team(undefined, stat, errmsg, errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_change_team: team is not defined')
  call start()
  call prif_sync_team(undefined, stat, errmsg, errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_sync_team: team is not defined')
  call start()
  call prif_end_team(stat, errmsg, errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_end_team: ')
  call start()
  call prif_form_team(0_c_int64_t, team, stat=stat, errmsg=errmsg, errmsg_alloc=errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_form_team: ')
  call start()
  call prif_form_team(1_c_int64_t, team, int(n + 1, c_int), stat, errmsg, errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_form_team: ')
  call start()
  call prif_initial_team_index_with_team_number(data, [1_c_int64_t], 44_c_int64_t, index, stat)
  call require(stat > 0, 'a team number that is not there')
  call prif_form_team(int(me(), c_int64_t), team)
  call prif_change_team(team)
  call deallocate_([data], 'prif_deallocate_coarrays: ')
  call make(1, 0_c_int64_t, of_team, of_team_local)
  if (n > 1) then
    call prif_this_image_no_coarray(undefined_or_initial(), index)
    index = int(modulo(index, n), c_int) + 1
    call put(index, of_team, 0_c_size_t, 8_c_size_t, 'prif_put: image ')
  end if
  call prif_end_team()
  call put(1_c_int, of_team, 0_c_size_t, 8_c_size_t, 'prif_put: coarray_handle 0x')

  ! Collectives, on all images alike.
  call start()
  call prif_co_sum(buffer, int(n + 1, c_int), stat, errmsg, errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_co_sum: result_image: image index')
  call start()
  call prif_co_broadcast(buffer, 0_c_int, stat, errmsg, errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_co_broadcast: source_image: image index 0')
  call start()
  call prif_co_max(flag, stat=stat, errmsg=errmsg, errmsg_alloc=errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_co_max: there is no maximum of logical(4)')
  call start()
  call prif_sync_images([0_c_int], stat, errmsg, errmsg_alloc)
  call has_failed(stat, errmsg, errmsg_alloc, 'prif_sync_images: image index 0')

  call require(all(buffer == 6) .and. all(local == 5), 'something was written')
  call prif_sync_all()
  call require(all(local == 5), 'another image has written something')

contains

  subroutine start()
    stat = 0
    errmsg = text
    errmsg_alloc = text
  end subroutine

  subroutine put(image, handle, offset, bytes, what)
    integer(c_int), intent(in) :: image
    type(prif_coarray_handle), intent(in) :: handle
    integer(c_size_t), intent(in) :: offset, bytes
    character(*), intent(in) :: what
    call start()
    call prif_put(image, handle, offset, c_loc(buffer), bytes, stat, errmsg, errmsg_alloc)
    call has_failed(stat, errmsg, errmsg_alloc, what)
  end subroutine

  subroutine allocate_(lower, upper, bytes, what)
    integer(c_int64_t), intent(in) :: lower(:), upper(:)
    integer(c_size_t), intent(in) :: bytes
    character(*), intent(in) :: what
    call start()
    call prif_allocate_coarray(lower, upper, bytes, no_final, alias, memory, stat, errmsg, errmsg_alloc)
    call has_failed(stat, errmsg, errmsg_alloc, what)
  end subroutine

  subroutine deallocate_(handles, what)
    type(prif_coarray_handle), intent(in) :: handles(:)
    character(*), intent(in) :: what
    call start()
    call prif_deallocate_coarrays(handles, stat, errmsg, errmsg_alloc)
    call has_failed(stat, errmsg, errmsg_alloc, what)
  end subroutine

  type(prif_team_type) function undefined_or_initial()
    call prif_get_team(PRIF_INITIAL_TEAM, undefined_or_initial)
  end function
end program
