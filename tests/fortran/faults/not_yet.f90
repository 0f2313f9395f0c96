!> Uses a feature that the argument names; not all features are there yet.
program not_yet
  implicit none
  character(20) :: feature
  integer :: static(3)[*]
  integer, allocatable :: got(:)

  call get_command_argument(1, feature)
  select case (feature)
  case ('get-allocating')
    ! The compiler leaves the shape of the left-hand side to the library.
    got = static(2:)[1]
  case ('failed-images')
    got = failed_images()
  case ('stopped-images')
    got = stopped_images()
  case ('image-status')
    got = [image_status(1)]
  case default
    error stop 'not_yet: unknown feature'
  end select
  print '(a)', 'done'
end program
