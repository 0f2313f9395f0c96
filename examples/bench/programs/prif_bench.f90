!> The benchmark that calls PRIF: one source for every implementation. See `caf_timing` for its output.
module prif_rows
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int, c_int64_t, c_intptr_t, c_loc, c_ptr, c_ptrdiff_t, c_size_t
  use prif
  use prif_timing, only: dp, images, me, measure, report_wrong, total_count
  implicit none
  private
  public :: run_transfers, run_strided, run_synchronisation, run_atomics, run_collectives, run_teams, run_allocation

  !> Words of the largest transfer: 64 MiB.
  integer, parameter :: words = 2**23
  !> Elements and rows of strided transfers, and the side of the array that they are parts of.
  integer, parameter :: elements = 1000, rows = 100, side = 1000

  type(prif_coarray_handle), save :: memory
  real(dp), pointer, save :: shared(:)
  real(dp), allocatable, target, save :: local(:)
  !> What the row at hand moves.
  integer(c_size_t), save :: bytes
  type(prif_coarray_handle), save :: cells
  integer(c_int64_t), pointer, save :: cell(:)
  type(prif_team_type), save :: team
  integer, save :: elements_of_sum

contains

  !> A coarray of so many bytes.
  subroutine make(size_in_bytes, handle, address)
    integer(c_size_t), intent(in) :: size_in_bytes
    type(prif_coarray_handle), intent(out) :: handle
    type(c_ptr), intent(out) :: address
    procedure(prif_coarray_cleanup_interface), pointer :: nothing
    nothing => null()
    call prif_allocate_coarray([1_c_int64_t], [int(images, c_int64_t)], size_in_bytes, nothing, handle, address)
  end subroutine make

  subroutine run_transfers()
    integer, parameter :: sizes(5) = [8, 1024, 65536, 1048576, 67108864]
    type(c_ptr) :: address
    integer :: i, last
    call make(8_c_size_t*words, memory, address)
    call c_f_pointer(address, shared, [words])
    allocate(local(words))
    do i = 1, size(sizes)
      last = sizes(i)/8
      bytes = int(sizes(i), c_size_t)
      shared(:last) = 0
      local(:last) = me
      call measure('put', sizes(i), put)
      if (me == 2) call report_wrong('put', sizes(i), all(shared(:last) == 1))
      shared(:last) = me
      local(:last) = 0
      call measure('get', sizes(i), get)
      if (me == 1) call report_wrong('get', sizes(i), all(local(:last) == 2))
    end do
  end subroutine run_transfers

  subroutine put(n)
    integer, intent(in) :: n
    integer :: i
    if (me /= 1) return
    do i = 1, n
      call prif_put(2_c_int, memory, 0_c_size_t, c_loc(local), bytes)
    end do
    call prif_sync_memory()
  end subroutine put

  subroutine get(n)
    integer, intent(in) :: n
    integer :: i
    if (me /= 1) return
    do i = 1, n
      call prif_get(2_c_int, memory, 0_c_size_t, c_loc(local), bytes)
    end do
  end subroutine get

  subroutine run_strided()
    shared = 0
    local = me
    call measure('put_strided', 8*elements, put_strided)
    if (me == 2) call report_wrong('put_strided', 8*elements, all(shared(1:2*elements:2) == 1))
    call measure('put_section', 8*rows*rows, put_section)
    if (me == 2) call report_wrong('put_section', 8*rows*rows, sum(shared(:side*rows)) >= rows*rows)
    shared = me
    local = 0
    call measure('get_strided', 8*elements, get_strided)
    if (me == 1) call report_wrong('get_strided', 8*elements, all(local(1:2*elements:2) == 2))
  end subroutine run_strided

  subroutine put_strided(n)
    integer, intent(in) :: n
    integer :: i
    if (me /= 1) return
    do i = 1, n
      call prif_put_strided(2_c_int, memory, 0_c_size_t, [16_c_ptrdiff_t], c_loc(local), [16_c_ptrdiff_t], 8_c_size_t, &
                            [int(elements, c_size_t)])
    end do
    call prif_sync_memory()
  end subroutine put_strided

  subroutine put_section(n)
    integer, intent(in) :: n
    integer(c_ptrdiff_t) :: strides(2)
    integer :: i
    if (me /= 1) return
    strides = [8_c_ptrdiff_t, int(8*side, c_ptrdiff_t)]
    do i = 1, n
      call prif_put_strided(2_c_int, memory, 0_c_size_t, strides, c_loc(local), strides, 8_c_size_t, &
                            [int(rows, c_size_t), int(rows, c_size_t)])
    end do
    call prif_sync_memory()
  end subroutine put_section

  subroutine get_strided(n)
    integer, intent(in) :: n
    integer :: i
    if (me /= 1) return
    do i = 1, n
      call prif_get_strided(2_c_int, memory, 0_c_size_t, [16_c_ptrdiff_t], c_loc(local), [16_c_ptrdiff_t], 8_c_size_t, &
                            [int(elements, c_size_t)])
    end do
  end subroutine get_strided

  subroutine run_synchronisation()
    type(c_ptr) :: address
    ! Events in the first words, an atomic variable in the ninth; each event of Caffeine fills a cache line.
    call make(8_c_size_t*512, cells, address)
    call c_f_pointer(address, cell, [512])
    cell = 0
    call measure('sync_all', 0, synchronise)
    call measure('events', 0, ping_pong)
  end subroutine run_synchronisation

  subroutine synchronise(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      call prif_sync_all()
    end do
  end subroutine synchronise

  !> There and back by an event each way.
  subroutine ping_pong(n)
    integer, intent(in) :: n
    integer :: i
    if (me > 2) return
    do i = 1, n
      if (me == 1) call prif_event_post(2_c_int, cells, 0_c_size_t)
      call prif_event_wait(c_loc(cell(1)))
      if (me == 2) call prif_event_post(1_c_int, cells, 0_c_size_t)
    end do
  end subroutine ping_pong

  subroutine run_atomics()
    call measure('atomic_add', 8, add)
    if (me == 2) call report_wrong('atomic_add', 8, cell(65) == total_count)
    call prif_sync_all()
    cell(65) = 0
    call measure('atomic_fetch_add', 8, fetch_add)
    if (me == 2) call report_wrong('atomic_fetch_add', 8, cell(65) == total_count)
  end subroutine run_atomics

  subroutine add(n)
    integer, intent(in) :: n
    integer :: i
    if (me /= 1) return
    do i = 1, n
      call prif_atomic_add(2_c_int, cells, 512_c_size_t, 1_c_int64_t)
    end do
  end subroutine add

  subroutine fetch_add(n)
    integer, intent(in) :: n
    integer(c_int64_t) :: old
    integer :: i
    if (me /= 1) return
    do i = 1, n
      call prif_atomic_fetch_add(2_c_int, cells, 512_c_size_t, 1_c_int64_t, old)
    end do
  end subroutine fetch_add

  subroutine run_collectives()
    integer, parameter :: sizes(3) = [8, 8000, 1048576]
    integer :: i
    do i = 1, size(sizes)
      elements_of_sum = sizes(i)/8
      local(:elements_of_sum) = 0
      call measure('co_sum', sizes(i), sum_up)
      local(:elements_of_sum) = me
      call prif_co_sum(local(:elements_of_sum))
      call report_wrong('co_sum', sizes(i), all(local(:elements_of_sum) == real(images, dp)*(images + 1)/2))
      local(:elements_of_sum) = me
      call measure('co_broadcast', sizes(i), broadcast)
      call report_wrong('co_broadcast', sizes(i), all(local(:elements_of_sum) == 1))
    end do
  end subroutine run_collectives

  subroutine sum_up(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      call prif_co_sum(local(:elements_of_sum))
    end do
  end subroutine sum_up

  subroutine broadcast(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      call prif_co_broadcast(local(:elements_of_sum), 1_c_int)
    end do
  end subroutine broadcast

  subroutine run_teams()
    ! Caffeine does not give the memory of teams back.
    call measure('form_team', 0, form, most=100)
    call prif_form_team(1_c_int64_t, team)
    call measure('change_team', 0, change)
  end subroutine run_teams

  subroutine form(n)
    integer, intent(in) :: n
    type(prif_team_type) :: new
    integer :: i
    do i = 1, n
      call prif_form_team(1_c_int64_t, new)
    end do
  end subroutine form

  subroutine change(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      call prif_change_team(team)
      call prif_end_team()
    end do
  end subroutine change

  subroutine run_allocation()
    call measure('allocate', 8192, allocate_and_free)
  end subroutine run_allocation

  subroutine allocate_and_free(n)
    integer, intent(in) :: n
    type(prif_coarray_handle) :: handle
    type(c_ptr) :: address
    integer :: i
    do i = 1, n
      call make(8192_c_size_t, handle, address)
      call prif_deallocate_coarrays([handle])
    end do
  end subroutine allocate_and_free

end module prif_rows

program prif_bench
  use prif_rows
  use prif_timing, only: finish_timing, start_timing
  implicit none

  call start_timing()
  call run_transfers()
  call run_strided()
  call run_synchronisation()
  call run_atomics()
  call run_collectives()
  call run_teams()
  call run_allocation()
  call finish_timing()
end program prif_bench
