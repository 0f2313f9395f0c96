! Each image has a list of its own length. Image 1 reads the lists of the others.
program components
  implicit none
  type :: list
    integer :: length = 0
    real, allocatable :: values(:)
  end type list
  type(list) :: mine[*]
  real, allocatable :: theirs(:)
  integer :: image, length, i

  mine%length = 2 * this_image()
  allocate (mine%values(mine%length))
  mine%values = [(real(i * this_image()), i=1, mine%length)]
  sync all                                  ! all lists are there

  if (this_image() == 1) then
    do image = 1, num_images()
      length = mine[image]%length
      allocate (theirs(length))
      theirs = mine[image]%values(1:length)
      print '(a,i0,a,i0,a,f6.1)', 'image ', image, ': ', length, ' values, sum ', sum(theirs)
      deallocate (theirs)
    end do
  end if
  sync all                                  ! image 1 has read; the lists may go
end program components
