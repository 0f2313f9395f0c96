!> Image 1 waits for a post, which image 2 makes when there is the file that the argument names. Image 3 waits for both. Each
!> writes its process first.
program held
  use, intrinsic :: iso_fortran_env, only: event_type
  implicit none
  type(event_type) :: ready[*]
  character(1000) :: file
  logical :: is_there

  call get_command_argument(1, file)
  print '(a,i0,1x,i0)', 'process ', this_image(), getpid()
  flush (6)
  select case (this_image())
  case (1)
    event wait (ready)
  case (2)
    do
      inquire (file=file, exist=is_there)
      if (is_there) exit
      call sleep(1)
    end do
    event post (ready[1])
  end select
  sync all
end program held
