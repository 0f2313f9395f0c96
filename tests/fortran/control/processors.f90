!> Every image writes the line of the system about the processors that it may run on.
program processors
  implicit none
  character(1024) :: line
  integer :: status, unit

  ! The images have met, and each has its place.
  sync all
  open (newunit=unit, file='/proc/self/status', action='read')
  do
    read (unit, '(a)', iostat=status) line
    if (status /= 0) error stop 'no line about processors'
    if (index(line, 'Cpus_allowed_list:') == 1) exit
  end do
  print '(a)', trim(line)
end program
