!> The queue with MPI: a one-sided operation takes the next task.
module queue_window
  use, intrinsic :: iso_c_binding, only: c_ptr
  use mpi
  use pair_timing, only: me
  use queue_tasks, only: tasks, work
  implicit none

  integer :: window, total
  logical :: has_window = .false.

contains

  subroutine make_window()
    ! MPICH 4.0 reaches the wrong rank where a window is smaller than a page.
    integer(mpi_address_kind), parameter :: page_bytes = 4096
    integer, parameter :: word_bytes = 4
    type(c_ptr) :: memory
    integer :: error

    call mpi_win_allocate(page_bytes, word_bytes, mpi_info_null, mpi_comm_world, memory, window, error)
    call mpi_win_lock_all(mpi_mode_nocheck, window, error)
    has_window = .true.
  end subroutine make_window

  subroutine empty_queues(n)
    integer, intent(in) :: n
    integer, asynchronous :: task, zero
    integer :: i, error

    if (.not. has_window) call make_window()
    do i = 1, n
      zero = 0
      if (me == 1) then
        call mpi_accumulate(zero, 1, mpi_integer, 0, 0_mpi_address_kind, 1, mpi_integer, mpi_replace, window, error)
        call mpi_win_flush(0, window, error)
      end if
      call mpi_barrier(mpi_comm_world, error)
      total = 0
      do
        call mpi_fetch_and_op(1, task, mpi_integer, 0, 0_mpi_address_kind, mpi_sum, window, error)
        call mpi_win_flush(0, window, error)
        if (task >= tasks) exit
        total = total + work(task)
      end do
      call mpi_allreduce(mpi_in_place, total, 1, mpi_integer, mpi_sum, mpi_comm_world, error)
    end do
  end subroutine empty_queues

  integer function results()
    results = total
  end function results

  subroutine free_window()
    integer :: error

    if (.not. has_window) return
    call mpi_win_unlock_all(window, error)
    call mpi_win_free(window, error)
  end subroutine free_window

end module queue_window

program queue_mpi
  use pair_timing, only: end_pair, start_pair
  use queue_tasks, only: measure_queue
  use queue_window, only: empty_queues, free_window, results
  implicit none

  call start_pair()
  call measure_queue(empty_queues, results)
  call free_window()
  call end_pair()
end program queue_mpi
