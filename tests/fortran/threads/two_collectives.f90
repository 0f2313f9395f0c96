! Two threads of image 1 execute SYNC ALL at the same time, because image 2 does not come. The second of them gets an error:
! without STAT= it ends the job, with STAT= ("stat") it has image 2 come.
program two_collectives
  use checks
  use, intrinsic :: iso_fortran_env, only: event_type
  implicit none
  type(event_type) :: come[*]
  character(:), allocatable :: errmsg
  character(8) :: how
  integer :: status, refused

  call get_command_argument(1, how)
  refused = 0
  if (this_image() == 2) then
    event wait (come)
    sync all
    stop
  end if
  !$omp parallel num_threads(2) private(status) reduction(+: refused)
  if (how == 'stat') then
    sync all (stat=status)
    if (status /= 0) then
      refused = refused + 1
      event post (come[2])
    end if
  else
    sync all
  end if
  !$omp end parallel
  call require(refused == 1, 'one of the two is refused')
end program two_collectives
