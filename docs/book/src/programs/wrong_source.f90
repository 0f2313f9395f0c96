program wrong_source
  real :: x(100)
  x = this_image()
  call co_broadcast(x, source_image=this_image())
  sync all
  print *, x(1)
end program
