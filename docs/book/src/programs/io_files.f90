! A file for each image, from which a later run of as many images continues.
program io_files
  implicit none
  character(32) :: name
  integer :: unit, state, steps

  write (name, '(a,i0,a)') 'state-', this_image(), '.bin'
  steps = 0
  open (newunit=unit, file=name, form='unformatted', status='old', action='read', iostat=state)
  if (state == 0) then
    read (unit) steps
    close (unit)
  end if
  steps = steps + 10
  open (newunit=unit, file=name, form='unformatted', status='replace', action='write')
  write (unit) steps
  close (unit)
  if (this_image() == 1) print '(a,i0)', 'steps so far: ', steps
end program io_files
