! Teams: form, change, end, get_team, team_number, new_index; allocation and puts within.
program teams
  use with_prif
  implicit none
  type(prif_team_type) :: half, inner, found, copy, reversed
  type(prif_coarray_handle) :: outer, within
  integer(c_int64_t), pointer :: of_outer(:), of_team(:)
  integer(c_int64_t), target :: buffer
  integer(c_int64_t) :: number
  integer(c_int) :: stat, index
  integer :: mine, n
  character(len=30) :: errmsg
  character(len=:), allocatable :: errmsg_alloc

  n = num_images()
  mine = this_image()
  call make(1, -1_c_int64_t, outer, of_outer)
  call prif_team_number(team_number=number)
  call require_equal(int(number), -1, 'the number of the initial team')

  ! Halves: odd and even images, twice over, by a variable and by a copy of it.
  call prif_form_team(int(10 + mod(mine, 2), c_int64_t), half, stat=stat, errmsg=errmsg, errmsg_alloc=errmsg_alloc)
  call is_fine(stat, 'prif_form_team')
  call prif_team_number(half, number)
  call require_equal(int(number), 10 + mod(mine, 2), 'prif_team_number of a team')
  copy = half
  call in_half(half)
  call in_half(copy)

  ! All images, in reverse order.
  call prif_form_team(1_c_int64_t, reversed, int(n + 1 - mine, c_int))
  call prif_change_team(reversed)
  call require_equal(int(me()), n + 1 - mine, 'new_index')
  call prif_end_team()
  call require_equal(int(me()), mine, 'the index after the team')
  call prif_deallocate_coarray(outer)

contains

  subroutine in_half(team)
    type(prif_team_type), intent(in) :: team
    integer :: next

    call prif_change_team(team, stat, errmsg, errmsg_alloc)
    call is_fine(stat, 'prif_change_team')
    call require_equal(int(me()), (mine + 1) / 2, 'the index in the team')
    call prif_get_team(team=found)
    call prif_team_number(found, number)
    call require_equal(int(number), 10 + mod(mine, 2), 'the current team')
    call prif_get_team(PRIF_CURRENT_TEAM, found)
    call prif_team_number(found, number)
    call require_equal(int(number), 10 + mod(mine, 2), 'PRIF_CURRENT_TEAM')
    call prif_get_team(PRIF_PARENT_TEAM, found)
    call prif_num_images_with_team(found, index)
    call require_equal(int(index), n, 'PRIF_PARENT_TEAM')
    call prif_get_team(PRIF_INITIAL_TEAM, found)
    call prif_team_number(found, number)
    call require_equal(int(number), -1, 'PRIF_INITIAL_TEAM')

    ! A coarray of the team, and a put by the index in the initial team.
    call make(1, int(mine, c_int64_t), within, of_team)
    next = mod(mine + 1, n + mod(n, 2)) + 1
    if (next > n) next = 2 - mod(mine, 2)
    if (mod(next - mine, 2) /= 0) next = 2 - mod(mine, 2)
    call prif_get(int(next, c_int), within, 0_c_size_t, c_loc(buffer), 8_c_size_t)
    call require_equal(int(buffer), next, 'an image of the team')

    ! A team within.
    call prif_form_team(int(me(), c_int64_t), inner)
    call prif_change_team(inner)
    call require_equal(int(images()), 1, 'images of a team of one')
    call prif_sync_team(inner)
    call prif_end_team(stat, errmsg, errmsg_alloc)
    call is_fine(stat, 'prif_end_team')
    call prif_sync_all()
    call prif_end_team()
    call require_equal(int(images()), n, 'images after the team')
  end subroutine
end program
