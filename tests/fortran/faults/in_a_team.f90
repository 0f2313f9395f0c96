!> Wrong image indices in a team of two of the four images, and wrong subscripts of allocatable events and locks, by the argument.
program in_a_team
  use, intrinsic :: iso_fortran_env, only: event_type, lock_type, team_type
  implicit none
  type(team_type) :: half
  type(event_type), allocatable :: ready(:)[:]
  type(lock_type), allocatable :: guards(:)[:]
  integer, save :: u(2)[*]
  integer :: n
  character(20) :: what

  call get_command_argument(1, what)
  n = num_images()
  allocate (ready(0:3)[*], guards(2)[*])
  form team (2 - mod(this_image(), 2), half)
  select case (what)
  case ('event')
    if (this_image() == 1) event post (ready(n + 3)[1])
  case ('lock')
    if (this_image() == 1) lock (guards(n - 4)[1])
  case ('outside')
    if (this_image() == 1) u(1)[n + 1] = 1
  case default
    change team (half)
      if (team_number() == 2 .and. this_image() == 1) then
        if (what == 'put') u(1)[n - 1] = 1
        if (what == 'sync') sync images (n - 1)
      end if
    end team
  end select
  sync all
end program in_a_team
