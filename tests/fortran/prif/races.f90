! Accesses by images 1 and 2, one after the other in time, that nothing orders, or the statement that the argument names.
! (Atomic subroutines alone order nothing.)
program races
  use with_prif
  implicit none
  type(prif_coarray_handle) :: data, turn
  integer(c_int64_t), pointer :: local(:), turns(:)
  integer(c_int64_t), target :: buffer(4) = 7
  integer(PRIF_ATOMIC_INT_KIND) :: now
  integer(c_size_t), parameter :: none_of = 0, word = 8
  character(16) :: kind, mode
  integer(c_int) :: stat

  call get_command_argument(1, kind)
  call get_command_argument(2, mode)
  call make(8, 0_c_int64_t, data, local)
  call make(1, 0_c_int64_t, turn, turns)
  if (me() == 1) then
    select case (kind)
    case ('contiguous', 'stat')
      call prif_put(3_c_int, data, word, c_loc(buffer), word)
    case ('strided')
      call prif_put_strided(3_c_int, data, none_of, [16_c_ptrdiff_t], c_loc(buffer), [8_c_ptrdiff_t], word, [4_c_size_t])
    case ('atomic')
      call prif_atomic_add(3_c_int, data, word, 1_8)
    end select
  end if
  if (mode == 'ordered') call prif_sync_all()
  if (me() == 1) call prif_atomic_add(1_c_int, turn, none_of, 1_8)
  if (me() == 2) then
    do
      call prif_atomic_ref_int(1_c_int, turn, none_of, now)
      if (now > 0) exit
    end do
    select case (kind)
    case ('contiguous')
      call prif_get(3_c_int, data, none_of, c_loc(buffer), 2 * word)
    case ('strided')
      call prif_get_strided(3_c_int, data, word, [8_c_ptrdiff_t], c_loc(buffer), [8_c_ptrdiff_t], word, [2_c_size_t])
    case ('atomic')
      call prif_put(3_c_int, data, word, c_loc(buffer), word)
    case ('stat')
      call prif_put(3_c_int, data, word, c_loc(buffer), word, stat)
    end select
  end if
  call prif_sync_all()
  if (me() == 1) print '(a)', 'done'
end program
