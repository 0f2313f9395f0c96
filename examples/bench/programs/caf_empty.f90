!> The empty program: every image prints its peak resident memory, `rss,IMAGE,KILOBYTES`.
program caf_empty
  use, intrinsic :: iso_fortran_env, only: output_unit
  implicit none
  integer, save :: word[*]
  character(len=128) :: line
  integer :: unit, status, kilobytes

  word = 0
  sync all
  open (newunit=unit, file='/proc/self/status', action='read', status='old')
  do
    read (unit, '(a)', iostat=status) line
    if (status /= 0) error stop 'caf_empty: no VmHWM in /proc/self/status'
    if (line(1:6) == 'VmHWM:') exit
  end do
  close (unit)
  read (line(7:), *) kilobytes
  write (output_unit, '("rss,", i0, ",", i0)') this_image(), kilobytes
  flush (output_unit)
end program caf_empty
