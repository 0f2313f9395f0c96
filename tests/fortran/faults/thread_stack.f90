!> Threads of OpenMP call a procedure that calls itself. The arguments are the construct that begins the parallel region, and
!> how deep the calls of the last image are: too deep for the stack of a thread, or not.
program thread_stack
  use omp_lib, only: omp_get_thread_num
  implicit none
  character(20) :: construct, argument
  integer :: depth, i, total

  call get_command_argument(1, construct)
  call get_command_argument(2, argument)
  read (argument, *) depth
  sync all
  if (this_image() /= num_images()) depth = 1
  total = 0
  select case (construct)
  case ('parallel')
    !$omp parallel num_threads(2) reduction(+: total)
    if (omp_get_thread_num() == 1) total = deeper(depth)
    !$omp end parallel
  case ('static')
    !$omp parallel do num_threads(2) schedule(static) reduction(+: total)
    do i = 1, 2
      if (omp_get_thread_num() == 1) total = total + deeper(depth)
    end do
  case ('dynamic')
    ! The main thread leaves one iteration to the other thread.
    !$omp parallel do num_threads(2) schedule(dynamic) reduction(+: total)
    do i = 1, 2
      total = total + once(depth)
    end do
  case ('guided')
    !$omp parallel do num_threads(2) schedule(guided) reduction(+: total)
    do i = 1, 2
      total = total + once(depth)
    end do
  case ('runtime')
    !$omp parallel do num_threads(2) schedule(runtime) reduction(+: total)
    do i = 1, 2
      total = total + once(depth)
    end do
  case ('sections')
    !$omp parallel sections num_threads(2) reduction(+: total)
    !$omp section
    total = total + once(depth)
    !$omp section
    total = total + once(depth)
    !$omp end parallel sections
  end select
  if (total /= depth) error stop 'a wrong total'
contains

  ! The first call by the thread that is not the main one; the main one waits for it.
  integer function once(depth)
    integer, intent(in) :: depth
    logical, save, volatile :: has_begun = .false.
    once = 0
    if (omp_get_thread_num() == 0) then
      do
        if (has_begun) exit
      end do
    else if (.not. has_begun) then
      has_begun = .true.
      once = deeper(depth)
    end if
  end function once

  recursive integer function deeper(depth) result(calls)
    integer, intent(in) :: depth
    integer :: local(1000)
    local = depth
    calls = 1
    if (depth > 1) calls = 1 + deeper(depth - 1)
    if (any(local /= depth)) calls = 0
  end function deeper
end program thread_stack
