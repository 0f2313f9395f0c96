!> The last image puts an array on the stack that is too large or, with the argument `null`, writes to no address.
program stack
  implicit none
  integer, pointer :: nowhere => null()
  sync all
  if (this_image() == num_images()) then
    if (command_argument_count() == 0) call work(40000000)
    if (command_argument_count() > 0) nowhere = 1
  end if
contains
  subroutine work(n)
    integer, intent(in) :: n
    real(8) :: array(n)
    array = n
    print *, sum(array)
  end subroutine work
end program stack
