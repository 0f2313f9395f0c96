!> Image 2 sleeps in a procedure until it is ended; the others wait for it. Each writes that it is there.
program late
  implicit none
  print '(a,i0)', 'image ', this_image()
  flush (6)
  if (this_image() == 2) call rest()
  sync all
contains
  subroutine rest()
    call sleep(600)
  end subroutine
end program late
