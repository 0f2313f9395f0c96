! Image 1 comes to the critical section first, which orders its assignment before the one of image 2, unless image 1 is delayed.
program hidden
  implicit none
  integer :: x[*]
  integer(8) :: start, now, rate
  sync all
  call system_clock(start, rate)
  if (this_image() == 1) x = 1 ! first
  if (this_image() == 2) then
    do
      call system_clock(now)
      if (now - start > rate / 20) exit
    end do
  end if
  critical
    if (this_image() == 2) x[1] = 2 ! second
  end critical
  sync all
end program
