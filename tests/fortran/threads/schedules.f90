! Loops of OpenMP with each schedule: a parallel loop is a call of libgomp with up to eight arguments, which XMP-RT passes on. Each
! iteration is executed once, by the threads that the clause asks for, with a put to the next image.
program schedules
  use checks
  use omp_lib, only: omp_get_num_threads, omp_sched_dynamic, omp_set_schedule
  implicit none
  integer, parameter :: first = -7, last = 90
  integer :: done(first:last)[*]
  integer :: next, i, step, threads(3)

  next = right_of(this_image())
  threads = 0
  call begin
  !$omp parallel do schedule(dynamic, 1) num_threads(3)
  do i = first, last
    done(i)[next] = i
    threads(omp_get_num_threads()) = 1
  end do
  !$omp end parallel do
  call finish('dynamic', 1)
  call require(all(threads == [0, 0, 1]), 'num_threads')
  call begin
  !$omp parallel do schedule(dynamic, 5) num_threads(3)
  do i = first, last, 3
    done(i)[next] = i
  end do
  !$omp end parallel do
  call finish('dynamic with steps', 3)
  call begin
  step = 2
  !$omp parallel do schedule(guided, 3) num_threads(2)
  do i = first, last, step
    done(i)[next] = i
  end do
  !$omp end parallel do
  call finish('guided', 2)
  call begin
  !$omp parallel do schedule(monotonic: guided, 2) num_threads(2)
  do i = first, last
    done(i)[next] = i
  end do
  !$omp end parallel do
  call finish('monotonic guided', 1)
  call begin
  !$omp parallel do schedule(static, 4) num_threads(2)
  do i = first, last
    done(i)[next] = i
  end do
  !$omp end parallel do
  call finish('static', 1)
  call omp_set_schedule(omp_sched_dynamic, 2)
  call begin
  !$omp parallel do schedule(runtime) num_threads(2)
  do i = first, last
    done(i)[next] = i
  end do
  !$omp end parallel do
  call finish('runtime', 1)
  call begin
  !$omp parallel sections num_threads(2)
  !$omp section
  done(first)[next] = first
  !$omp section
  done(last)[next] = last
  !$omp end parallel sections
  call finish('sections', last - first)

contains

  subroutine begin
    done = -1000
    sync all
  end subroutine

  !> Each `step`-th iteration was executed.
  subroutine finish(what, step)
    character(*), intent(in) :: what
    integer, intent(in) :: step
    integer :: i
    sync all
    do i = first, last
      call require_equal(done(i), merge(i, -1000, modulo(i - first, step) == 0), what)
    end do
    sync all
  end subroutine
end program schedules
