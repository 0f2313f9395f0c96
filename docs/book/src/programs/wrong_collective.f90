program wrong_collective
  implicit none
  integer :: a(20)
  a = this_image()
  if (this_image() == 1) then
    call co_sum(a(1:10))            ! the others give 20 elements
  else
    call co_sum(a)
  end if
end program wrong_collective
