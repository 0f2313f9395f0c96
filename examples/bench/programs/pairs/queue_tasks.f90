!> A queue of tasks of different lengths: an image takes the next one from a counter of image 1. Both forms share it.
module queue_tasks
  use pair_timing, only: dp, me, measure, selected, tell_check, tell_wrong
  implicit none
  private
  public :: measure_queue, work

  !> Tasks of a queue.
  integer, parameter, public :: tasks = 1000

contains

  !> The result of a task.
  integer function work(task)
    integer, intent(in) :: task
    integer :: i

    work = task
    do i = 1, 100 + 50*modulo(task, 17)
      work = modulo(work*1664525 + 1013904223, 65536)
    end do
  end function work

  !> Times queues. `results` tells the sum of the results of all images in the last one.
  subroutine measure_queue(empty_queues, results)
    interface
      subroutine empty_queues(n)
        integer, intent(in) :: n
      end subroutine empty_queues
      integer function results()
      end function results
    end interface
    integer :: task, expected

    if (.not. selected('queue', tasks)) return
    call measure('queue', tasks, empty_queues)
    expected = 0
    do task = 0, tasks - 1
      expected = expected + work(task)
    end do
    if (results() /= expected) call tell_wrong('queue', tasks)
    call tell_check('queue', tasks, merge(real(results(), dp), 0.0_dp, me == 1))
  end subroutine measure_queue

end module queue_tasks
