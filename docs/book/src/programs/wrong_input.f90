program wrong_input
  implicit none
  if (this_image() == 2) error stop 'wrong_input: the file does not begin with a number'
  sync all
end program wrong_input
