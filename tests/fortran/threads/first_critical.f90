! A thread that has not used the library before is in a CRITICAL construct when the first thread of its image enters it: that one
! waits.
program first_critical
  use checks
  use omp_lib, only: omp_get_thread_num
  implicit none
  integer :: entered, left, seen
  entered = 0
  left = 0
  !$omp parallel num_threads(2) private(seen)
  seen = 0
  if (omp_get_thread_num() == 0) then
    do while (seen == 0)
      !$omp atomic read
      seen = entered
    end do
  end if
  call enter
  !$omp end parallel
  call require(left == 2, 'both threads')
  sync all

contains

  subroutine enter
    critical
      !$omp atomic write
      entered = 1
      ! The first thread comes meanwhile.
      if (omp_get_thread_num() == 1) call execute_command_line('sleep 0.2')
      left = left + 1
    end critical
  end subroutine
end program first_critical
