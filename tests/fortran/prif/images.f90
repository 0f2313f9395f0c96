! prif_init, num_images, this_image, image_status, failed_images and stopped_images, with and without a team.
program images_of_prif
  use with_prif
  implicit none
  type(prif_team_type) :: team, initial
  integer(c_int) :: stat, number, in_team, status
  integer(c_int), allocatable :: list(:), statuses(:)
  integer :: i

  call prif_init(stat)
  ! flang's main program has called it before.
  call require(any(stat == [0, int(PRIF_STAT_ALREADY_INIT)]), 'stat of the first prif_init')
  call prif_init(stat)
  call require_equal(int(stat), int(PRIF_STAT_ALREADY_INIT), 'stat of the second prif_init')

  call require_equal(int(images()), num_images(), 'prif_num_images')
  call require_equal(int(me()), this_image(), 'prif_this_image_no_coarray')

  call prif_get_team(team=initial)
  call prif_num_images_with_team(initial, number)
  call require_equal(int(number), num_images(), 'images of the initial team')
  call prif_form_team(int(1 + mod(me() - 1, 2), c_int64_t), team)
  call prif_num_images_with_team(team, number)
  call require_equal(int(number), count([(mod(i - me(), 2) == 0, i = 1, num_images())]), 'images of a team')
  call prif_this_image_no_coarray(team, in_team)
  call require_equal(int(in_team), (me() + 1) / 2, 'index in a team')
  call prif_num_images_with_team_number(-1_c_int64_t, number)
  call require_equal(int(number), num_images(), 'images of team -1')

  ! Siblings.
  call prif_change_team(team)
  do i = 1, min(2, num_images_of_all())
    call prif_num_images_with_team_number(int(i, c_int64_t), number)
    call require_equal(int(number), (num_images_of_all() + 2 - i) / 2, 'images of a sibling')
  end do
  call prif_end_team()

  call prif_image_status(1_c_int, image_status=status)
  call require_equal(int(status), 0, 'status of image 1')
  call prif_image_status(images(), team=initial, image_status=status)
  call require_equal(int(status), 0, 'status of the last image')
  allocate (statuses(num_images()), source=-1_c_int)
  call prif_image_status([(int(i, c_int), i = 1, num_images())], image_status=statuses)
  call require(all(statuses == 0), 'prif_image_status of an array')

  call prif_failed_images(failed_images=list)
  call require_equal(size(list), 0, 'failed images')
  call prif_failed_images(team, list)
  call require_equal(size(list), 0, 'failed images of a team')
  call prif_stopped_images(stopped_images=list)
  call require_equal(size(list), 0, 'stopped images')
  call prif_stopped_images(team, list)
  call require_equal(size(list), 0, 'stopped images of a team')
  call prif_sync_all()

contains

  integer function num_images_of_all()
    integer(c_int) :: all
    call prif_num_images_with_team(initial, all)
    num_images_of_all = all
  end function
end program
