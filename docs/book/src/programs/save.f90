program save
  implicit none
  !$xmp nodes p(*)
  !$xmp template t(0:9)
  !$xmp distribute t(cyclic) onto p
  real(8) :: a(0:9), total
  !$xmp align a(i) with t(i)
  integer :: i
  !$xmp loop on t(i)
  do i = 0, 9
    a(i) = i
  end do
  !$xmp master_io
  print '(10f5.1)', a
  !$xmp global_io begin
  open(10, file='array.dat', form='unformatted', status='replace')
  write(10) a
  close(10)
  open(10, file='array.dat', form='unformatted', status='old')
  read(10) a
  close(10, status='delete')
  !$xmp end global_io
  total = 0
  !$xmp loop on t(i) reduction(+: total)
  do i = 0, 9
    total = total + a(i)
  end do
  !$xmp master_io
  print '(a, f5.1)', 'the same sum:', total
end program
