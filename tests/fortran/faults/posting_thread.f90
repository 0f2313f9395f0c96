!> The main thread of image 1 waits for an event, and all others for image 1. Another thread of image 1 sleeps for a while and
!> posts then.
program posting_thread
  use omp_lib, only: omp_get_thread_num
  use, intrinsic :: iso_fortran_env, only: event_type
  implicit none
  type(event_type), save :: ready[*]

  sync all
  if (this_image() == 1) then
    !$omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) then
      event wait (ready)
    else
      call execute_command_line('sleep 3')
      event post (ready[1])
    end if
    !$omp end parallel
  end if
  sync all
end program posting_thread
