program wrong_component
  implicit none
  type :: list
    real, allocatable :: values(:)
  end type list
  type(list) :: mine[*]
  if (this_image() > 1) allocate (mine%values(10), source=0.0)
  sync all
  if (this_image() == 2) print *, mine[1]%values(3)   ! image 1 has not allocated it
end program wrong_component
