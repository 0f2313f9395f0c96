!> Allocates a coarray of so many GiB, of which it uses the first and the last element.
program allocates
  implicit none
  real(8), allocatable :: a(:)[:]
  character(20) :: text
  integer(8) :: gibibytes

  call get_command_argument(1, text)
  read (text, *) gibibytes
  allocate (a(gibibytes * 2_8**27)[*])
  a(1) = this_image()
  a(size(a, kind=8)) = -this_image()
  sync all
  if (this_image() == 1 .and. a(1)[num_images()] == num_images()) print '(a)', 'allocated'
end program
