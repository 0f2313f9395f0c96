! Levels of teams with the values that LFortran 0.67 has in ISO_FORTRAN_ENV: CURRENT_TEAM 1, INITIAL_TEAM 0, PARENT_TEAM 2.
! With an argument: one that is none of them.
program levels
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t
  use prif
  implicit none
  type(prif_team_type) :: half, found
  integer(c_int64_t) :: number
  integer(c_int) :: images, members, index

  if (PRIF_CURRENT_TEAM /= 1 .or. PRIF_INITIAL_TEAM /= 0 .or. PRIF_PARENT_TEAM /= 2) error stop 'the constants'
  call prif_num_images(images)
  call prif_this_image_no_coarray(this_image=index)
  call prif_form_team(int(10 + mod(index, 2), c_int64_t), half)
  call prif_change_team(half)
  call prif_get_team(1_c_int, found)
  call prif_team_number(found, number)
  if (number /= 10 + mod(index, 2)) error stop 'the current team'
  call prif_get_team(2_c_int, found)
  call prif_num_images_with_team(found, members)
  if (members /= images) error stop 'the parent team'
  call prif_this_image_no_coarray(found, members)
  if (members /= index) error stop 'the index in the parent team'
  call prif_get_team(0_c_int, found)
  call prif_team_number(found, number)
  if (number /= -1) error stop 'the initial team'
  call prif_end_team()
  if (command_argument_count() > 0) call prif_get_team(17_c_int, found)
end program
