! All images write one file, each at its place: a stream has positions in bytes.
program io_stream
  implicit none
  integer, parameter :: n = 1000
  real(8) :: part(n), found(n)
  integer :: me, unit, size_of_part

  me = this_image()
  part = me
  inquire (iolength=size_of_part) part            ! in units of the compiler, which are bytes
  if (me == 1) then                               ! it makes the file
    open (newunit=unit, file='all.bin', access='stream', form='unformatted', status='replace')
    close (unit)
  end if
  sync all
  open (newunit=unit, file='all.bin', access='stream', form='unformatted', status='old', action='readwrite')
  write (unit, pos=1 + (me - 1) * size_of_part) part
  close (unit)
  sync all                                        ! all parts are in the file
  open (newunit=unit, file='all.bin', access='stream', form='unformatted', status='old', action='read')
  read (unit, pos=1 + mod(me, num_images()) * size_of_part) found
  close (unit)
  if (any(found /= mod(me, num_images()) + 1)) error stop 'io_stream: the file has other values'
  if (me == 1) print '(a,i0,a)', 'wrote ', num_images() * size_of_part, ' bytes'
end program io_stream
