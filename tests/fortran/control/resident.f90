!> An empty program: each image writes how many kilobytes of the code of libxmprt.so it has in memory.
program resident
  use, intrinsic :: iso_fortran_env, only: output_unit
  implicit none
  integer, save :: word[*]
  character(len=512) :: line
  integer :: unit, status, kilobytes, total
  logical :: of_library

  word = 0
  sync all
  total = 0
  of_library = .false.
  open (newunit=unit, file='/proc/self/smaps', action='read', status='old')
  do
    read (unit, '(a)', iostat=status) line
    if (status /= 0) exit
    if (index(line, '-') > 0 .and. index(line, ':') /= index(line, ' ') - 1) then
      of_library = index(line, '/libxmprt.so') > 0 .and. index(line, ' r-xp ') > 0
    else if (of_library .and. line(1:4) == 'Rss:') then
      read (line(5:index(line, 'kB') - 1), *) kilobytes
      total = total + kilobytes
    end if
  end do
  close (unit)
  write (output_unit, '(i0)') total
  flush (output_unit)
end program resident
