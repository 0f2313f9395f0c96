!> The queue with coarrays: an atomic subroutine takes the next task.
module queue_coarrays
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind
  use pair_timing, only: me
  use queue_tasks, only: tasks, work
  implicit none

  integer(atomic_int_kind) :: next[*]
  integer :: total

contains

  subroutine empty_queues(n)
    integer, intent(in) :: n
    integer(atomic_int_kind) :: task
    integer :: i

    do i = 1, n
      if (me == 1) call atomic_define(next, 0)
      sync all
      total = 0
      do
        call atomic_fetch_add(next[1], 1, task)
        if (task >= tasks) exit
        total = total + work(int(task))
      end do
      call co_sum(total)
    end do
  end subroutine empty_queues

  integer function results()
    results = total
  end function results

end module queue_coarrays

program queue_caf
  use pair_timing, only: end_pair, start_pair
  use queue_coarrays, only: empty_queues, results
  use queue_tasks, only: measure_queue
  implicit none

  call start_pair()
  call measure_queue(empty_queues, results)
  call end_pair()
end program queue_caf
