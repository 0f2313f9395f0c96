!> Image 1 asks for a number while the other images print lines; all images print what it has read.
program question
  implicit none
  integer :: number[*], k

  if (this_image() == 1) then
    write (*, '(a)', advance='no') 'a number? '
    read (*, *) number
  else
    do k = 1, 50
      print '(a,i0,a,i0)', 'line ', k, ' of image ', this_image()
    end do
  end if
  sync all
  print '(a,i0,a,i0)', 'image ', this_image(), ' has ', number[1]
end program
