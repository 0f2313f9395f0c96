! Each image starts this program as a command: one image alone, and a job of two. They are jobs of their own.
program starts_itself
  use checks
  implicit none
  integer :: sum[*]
  character(4096) :: path
  character(16) :: images

  if (command_argument_count() > 0) then
    call get_command_argument(1, images)
    call run_as_a_job
  end if
  call get_command_argument(0, path)
  sync all
  call start("'"//trim(path)//"' 1")
  call start("XMP_NUM_IMAGES=2 '"//trim(path)//"' 2")
  sum = this_image()
  call co_sum(sum)
  call require_equal(sum, num_images()*(num_images() + 1)/2, 'a sum afterwards')

contains

  subroutine start(command)
    character(*), intent(in) :: command
    integer :: status
    call execute_command_line(command, exitstat=status)
    call require_equal(status, 6, 'the status of '//command)
  end subroutine

  subroutine run_as_a_job()
    integer :: expected
    read (images, *) expected
    call require_equal(num_images(), expected, 'images of the job that was started')
    sum = 0
    sync all
    sum[modulo(this_image(), num_images()) + 1] = this_image()
    sync all
    call require_equal(sum, modulo(this_image() - 2, num_images()) + 1, 'a put in the job that was started')
    stop 6, quiet=.true.
  end subroutine
end program
