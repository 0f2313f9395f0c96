!> Every image reads its standard input to the end and writes what it read, with its number.
program echo
  implicit none
  character(80) :: line
  integer :: status

  do
    read (*, '(a)', iostat=status) line
    if (status /= 0) exit
    print '(i0, a, a)', this_image(), ' read ', trim(line)
  end do
  print '(i0, a, i0)', this_image(), ' of ', num_images()
  if (this_image() == num_images()) write (0, '(a)') 'to standard error'
end program
