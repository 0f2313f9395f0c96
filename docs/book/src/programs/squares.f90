program squares
  implicit none
  integer, parameter :: n = 100
  integer :: square(n), total, i
  !$xmp nodes p(*)
  !$xmp template t(n)
  !$xmp distribute t(block) onto p
  !$xmp align square(i) with t(i)

  total = 0
  !$xmp loop on t(i) reduction(+: total)
  do i = 1, n
    square(i) = i*i
    total = total + square(i)
  end do

  !$xmp task on p(1)
  print '(a,i0)', 'sum of the squares: ', total
  !$xmp end task
end program
