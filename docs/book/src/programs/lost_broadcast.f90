program lost_broadcast
  type item
    integer, allocatable :: values(:)
  end type
  type(item) :: items(2)
  integer :: i
  do i = 1, 2
    allocate (items(i)%values(3), source=this_image())
  end do
  call co_broadcast(items, 1)
  print *, items(2)%values
end program
