!> Every image writes lines for ever.
program talks
  implicit none
  integer :: line

  line = 0
  do
    line = line + 1
    print '(a,i0,a,i0)', 'image ', this_image(), ', line ', line
  end do
end program talks
