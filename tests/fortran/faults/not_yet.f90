!> Uses a feature that the argument names; not all features are there yet.
program not_yet
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type box
    integer, allocatable :: items(:)
  end type
  character(20) :: feature
  type(box) :: b[*]
  type(team_type) :: team
  integer, allocatable :: got(:)

  call get_command_argument(1, feature)
  select case (feature)
  case ('put-component')
    allocate (b%items(3), source=1)
    sync all
    b[1]%items(2) = 5
  case ('get-component')
    allocate (b%items(3), source=1)
    sync all
    got = b[1]%items
  case ('form-team')
    form team (1, team)
  case ('failed-images')
    got = failed_images()
  case ('stopped-images')
    got = stopped_images()
  case ('image-status')
    got = [image_status(1)]
  case ('fail-image')
    fail image
  case default
    error stop 'not_yet: unknown feature'
  end select
  print '(a)', 'done'
end program
