!> Uses a feature that the argument names; not all features are there yet.
program not_yet
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  character(20) :: feature
  integer :: static(3)[*]
  type(team_type) :: team
  integer, allocatable :: got(:)

  call get_command_argument(1, feature)
  select case (feature)
  case ('get-allocating')
    ! The compiler leaves the shape of the left-hand side to the library.
    got = static(2:)[1]
  case ('form-team')
    form team (1, team)
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
