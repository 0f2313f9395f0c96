! Atomic subroutines: all images on variables of the last image, by handle and by address.
program atomics
  use with_prif
  implicit none
  type(prif_coarray_handle) :: words
  type(c_ptr) :: memory
  integer(c_int64_t), pointer :: local(:)
  integer(c_intptr_t), allocatable :: word_at(:)
  integer(c_size_t), parameter :: second = 8
  integer(c_intptr_t) :: there
  integer(PRIF_ATOMIC_INT_KIND) :: value, old, bit
  logical(PRIF_ATOMIC_LOGICAL_KIND) :: flag, before
  integer(c_int) :: at, stat
  integer :: i, n

  n = num_images()
  call make(3, 0_c_int64_t, words, local)
  call prif_local_data_pointer(words, memory)
  word_at = addresses(memory)
  at = images()
  there = word_at(at) + 8
  bit = 2_8**me()

  ! Sums: by each form a third.
  call prif_atomic_add(at, words, second, 1_8)
  call prif_atomic_add(at, words, second, 2_8**40, stat)
  call is_fine(stat, 'prif_atomic_add')
  call prif_atomic_add_indirect(at, there, 1_8)
  call prif_atomic_fetch_add(at, words, second, 1_8, old)
  call prif_atomic_fetch_add_indirect(at, there, -1_8, value, stat)
  call is_fine(stat, 'prif_atomic_fetch_add_indirect')
  call require(value > old - n .and. old >= 2, 'prif_atomic_fetch_add')
  call has(n * (2 + 2_8**40), 'additions')

  ! Bits: set, cleared, and both.
  call start(0_8)
  call prif_atomic_or(at, words, second, bit)
  call prif_atomic_or_indirect(at, there, 1_8, stat)
  call has(sum([(2_8**i, i = 0, n)]), 'prif_atomic_or')
  call prif_atomic_fetch_or(at, words, second, bit, old)
  call require(iand(old, bit) == bit, 'prif_atomic_fetch_or')
  call prif_atomic_fetch_or_indirect(at, there, bit, old, stat)
  call require(iand(old, bit) == bit, 'prif_atomic_fetch_or_indirect')
  call prif_atomic_xor(at, words, second, bit)
  call has(1_8, 'prif_atomic_xor')
  call prif_atomic_xor_indirect(at, there, bit)
  call prif_atomic_fetch_xor(at, words, second, bit, old, stat)
  call require(iand(old, bit) == bit, 'prif_atomic_fetch_xor')
  call prif_atomic_fetch_xor_indirect(at, there, bit, old)
  call require(iand(old, bit) == 0, 'prif_atomic_fetch_xor_indirect')
  call has(sum([(2_8**i, i = 0, n)]), 'all bits')
  call prif_atomic_and(at, words, second, not(bit))
  call has(1_8, 'prif_atomic_and')
  call prif_atomic_and_indirect(at, there, not(bit), stat)
  call prif_atomic_fetch_and(at, words, second, not(bit), old)
  call require(old == 1, 'prif_atomic_fetch_and')
  call prif_atomic_fetch_and_indirect(at, there, -1_8, old, stat)
  call require(old == 1, 'prif_atomic_fetch_and_indirect')

  ! Compare and swap: of all that try, one succeeds, and then it is the other form's turn.
  call start(0_8)
  call prif_atomic_cas_int(at, words, second, old, 0_8, int(me(), 8))
  call prif_sync_all()
  call prif_atomic_ref_int(at, words, second, value)
  call require((old == 0) .eqv. (value == me()), 'prif_atomic_cas_int')
  call prif_sync_all()
  call prif_atomic_cas_int_indirect(at, there, old, value, int(-me(), 8), stat)
  call prif_sync_all()
  call prif_atomic_ref_int_indirect(at, there, bit, stat)
  call require((old == value) .eqv. (bit == -me()), 'prif_atomic_cas_int_indirect')

  ! Own words, as integers and logicals.
  call prif_atomic_define_int(me(), words, 0_c_size_t, -7_8)
  call prif_atomic_ref_int(me(), words, 0_c_size_t, value, stat)
  call require_equal(int(value), -7, 'prif_atomic_define_int')
  call prif_atomic_define_int_indirect(me(), word_at(this_image()), -8_8, stat)
  call prif_atomic_ref_int_indirect(me(), word_at(this_image()), value)
  call require_equal(int(value), -8, 'prif_atomic_define_int_indirect')
  call prif_atomic_define_logical(me(), words, 0_c_size_t, .true._8)
  call prif_atomic_ref_logical(me(), words, 0_c_size_t, flag, stat)
  call require(logical(flag), 'prif_atomic_define_logical')
  call prif_atomic_define_logical_indirect(me(), word_at(this_image()), .false._8, stat)
  call prif_atomic_ref_logical_indirect(me(), word_at(this_image()), flag)
  call require(.not. logical(flag), 'prif_atomic_define_logical_indirect')
  call prif_atomic_cas_logical(me(), words, 0_c_size_t, before, .false._8, .true._8, stat)
  call prif_atomic_cas_logical_indirect(me(), word_at(this_image()), flag, .true._8, .false._8)
  call require(logical(.not. before .and. flag), 'prif_atomic_cas_logical')
  call prif_atomic_ref_logical(me(), words, 0_c_size_t, flag)
  call require(.not. logical(flag), 'what is left')
  call prif_deallocate_coarray(words)

contains

  subroutine start(with)
    integer(8), intent(in) :: with
    call prif_sync_all()
    if (me() == at) call prif_atomic_define_int(at, words, second, with)
    call prif_sync_all()
  end subroutine

  !> When all images are here, the variable has this value.
  subroutine has(wanted, what)
    integer(8), intent(in) :: wanted
    character(*), intent(in) :: what
    integer(PRIF_ATOMIC_INT_KIND) :: found
    call prif_sync_all()
    call prif_atomic_ref_int(at, words, second, found)
    call require(found == wanted, what)
    call prif_sync_all()
  end subroutine
end program
