! Images that wait for one another for ever, in procedures of PRIF: the argument names the mistake. A comment names each line
! that the test expects in the message.
program hangs
  use with_prif
  implicit none
  type(prif_coarray_handle) :: lock_, events_, construct, other
  type(prif_team_type) :: team
  type(c_ptr) :: lock_memory, event_memory, memory
  type(prif_event_type), pointer :: event
  integer(c_int64_t), pointer :: lock_word
  type(prif_lock_type), target :: initial
  integer(c_int64_t) :: x
  character(len=40) :: how

  call get_command_argument(1, how)
  call prif_allocate_coarray([1_c_int64_t], none, 8_c_size_t, no_final, lock_, lock_memory)
  call c_f_pointer(lock_memory, lock_word)
  lock_word = transfer(initial, 0_c_int64_t)
  call prif_allocate_coarray([1_c_int64_t], none, 8_c_size_t, no_final, events_, event_memory)
  call c_f_pointer(event_memory, event)
  event = prif_event_type()
  call prif_allocate_coarray([1_c_int64_t], none, 8_c_size_t, no_final, construct, memory)
  call prif_form_team(1_c_int64_t, team)
  call prif_sync_all()
  x = me()
  select case (how)
  case ('sync all')
    if (me() == 1) call wait_for_event
    call prif_sync_all() ! sync all
  case ('sync images')
    if (me() == 1) call wait_for_event
    call prif_sync_images() ! sync images
  case ('sync team')
    if (me() == 1) call wait_for_event
    call prif_sync_team(team) ! sync team
  case ('form team')
    if (me() == 1) call wait_for_event
    call prif_form_team(2_c_int64_t, team) ! form team
  case ('change team')
    if (me() == 1) call wait_for_event
    call prif_change_team(team) ! change team
  case ('end team')
    call prif_change_team(team)
    if (me() == 1) call wait_for_event
    call prif_end_team() ! end team
  case ('co_sum')
    if (me() == 1) call wait_for_event
    call prif_co_sum(x) ! co_sum
  case ('lock')
    if (me() == 1) call prif_lock(1_c_int, lock_, 0_c_size_t)
    call prif_sync_all()
    if (me() == 1) call wait_for_event
    call prif_lock(1_c_int, lock_, 0_c_size_t) ! lock
  case ('critical')
    if (me() == 1) call prif_critical(construct)
    call prif_sync_all()
    if (me() == 1) call wait_for_event
    call prif_critical(construct) ! critical
  case ('allocate')
    if (me() == 1) call wait_for_event
    call prif_allocate_coarray([1_c_int64_t], none, 8_c_size_t, no_final, other, memory) ! allocate
  case ('deallocate')
    if (me() == 1) call wait_for_event
    call prif_deallocate_coarray(construct) ! deallocate
  end select

contains

  subroutine wait_for_event
    call prif_event_wait(c_loc(event)) ! event wait
  end subroutine
end program
