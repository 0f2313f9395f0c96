!> The last image puts an array on the stack that is too large or, with the argument `null`, writes to no address. With `first` it does
!> so before the first statement that synchronises; with `all` each image does so.
program stack
  implicit none
  integer, pointer :: nowhere => null()
  character(5) :: how = ' '
  call get_command_argument(1, how)
  if (how /= 'first') sync all
  if (this_image() == num_images() .or. how == 'all') then
    if (how /= 'null') call work(40000000)
    nowhere = 1
  end if
contains
  subroutine work(n)
    integer, intent(in) :: n
    real(8) :: array(n)
    array = n
    print *, sum(array)
  end subroutine work
end program stack
