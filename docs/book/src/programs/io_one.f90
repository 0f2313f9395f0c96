! Image 1 writes a file, to which the others put their parts.
program io_one
  implicit none
  integer, parameter :: n = 4
  integer :: whole(n, 16)[*], part(n), image, unit

  part = this_image() * 100 + [1, 2, 3, 4]
  sync all                                        ! image 1 has begun
  whole(:, this_image())[1] = part
  sync all                                        ! all parts have arrived
  if (this_image() == 1) then
    open (newunit=unit, file='one.txt', action='write')
    do image = 1, num_images()
      write (unit, '(4i5)') whole(:, image)
    end do
    close (unit)
  end if
end program io_one
