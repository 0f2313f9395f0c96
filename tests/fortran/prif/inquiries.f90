! Cobounds, coshape, this_image, image_index and initial_team_index of coarrays and aliases, in teams, too.
program inquiries
  use with_prif
  implicit none
  type(prif_coarray_handle) :: line, grid, alias, other
  type(prif_team_type) :: team, initial
  type(c_ptr) :: memory, start, context
  integer(c_int64_t) :: bounds(2), one(1), cosubscript
  integer(c_size_t) :: sizes(2), bytes
  integer(c_int) :: index, stat
  integer(c_int64_t), pointer :: local(:)
  integer, target :: marked
  integer :: i, rows, columns

  rows = 2
  columns = (num_images() + 1) / 2
  call make(4, 7_c_int64_t, line, local)
  call prif_allocate_coarray([0_c_int64_t, -3_c_int64_t], [1_c_int64_t], 80_c_size_t, no_final, grid, memory)

  call prif_lcobound_no_dim(grid, bounds)
  call require(all(bounds == [0, -3]), 'prif_lcobound_no_dim')
  call prif_ucobound_no_dim(grid, bounds)
  call require(all(bounds == [1, columns - 4]), 'prif_ucobound_no_dim')
  do i = 1, 2
    call prif_lcobound_with_dim(grid, int(i, c_int), cosubscript)
    call require_equal(int(cosubscript), merge(0, -3, i == 1), 'prif_lcobound_with_dim')
    call prif_ucobound_with_dim(grid, int(i, c_int), cosubscript)
    call require_equal(int(cosubscript), merge(1, columns - 4, i == 1), 'prif_ucobound_with_dim')
  end do
  call prif_coshape(grid, sizes)
  call require(all(sizes == [rows, columns]), 'prif_coshape')
  call prif_ucobound_no_dim(line, one)
  call require_equal(int(one(1)), num_images(), 'the cobound of a line')

  call prif_get_team(team=initial)
  do i = 1, num_images()
    bounds = [mod(i - 1, rows), (i - 1) / rows - 3]
    call prif_image_index(grid, bounds, index)
    call require_equal(int(index), i, 'prif_image_index')
    call prif_image_index_with_team(grid, bounds, initial, index)
    call require_equal(int(index), i, 'prif_image_index_with_team')
    call prif_image_index_with_team_number(grid, bounds, -1_c_int64_t, index)
    call require_equal(int(index), i, 'prif_image_index_with_team_number')
    call prif_initial_team_index(grid, bounds, index)
    call require_equal(int(index), i, 'prif_initial_team_index')
    call prif_initial_team_index_with_team(grid, bounds, initial, index, stat)
    call is_fine(stat, 'prif_initial_team_index_with_team')
    call require_equal(int(index), i, 'prif_initial_team_index_with_team')
    call prif_initial_team_index_with_team_number(grid, bounds, -1_c_int64_t, index, stat)
    call require_equal(int(index), i, 'prif_initial_team_index_with_team_number')
  end do
  call prif_image_index(grid, [2_c_int64_t, -3_c_int64_t], index)
  call require_equal(int(index), 0, 'beyond the first cobound')
  call prif_image_index(grid, [0_c_int64_t, int(columns - 3, c_int64_t)], index)
  call require_equal(int(index), 0, 'beyond the last cobound')
  call prif_initial_team_index(line, [int(num_images() + 1, c_int64_t)], index, stat)
  call require(stat /= 0, 'an image that is not there')

  call prif_this_image_with_coarray(grid, cosubscripts=bounds)
  call require(all(bounds == [mod(me() - 1, rows), (me() - 1) / rows - 3]), 'prif_this_image_with_coarray')
  do i = 1, 2
    call prif_this_image_with_dim(grid, int(i, c_int), cosubscript=cosubscript)
    call require_equal(int(cosubscript), int(bounds(i)), 'prif_this_image_with_dim')
  end do

  ! Aliases: other cobounds, the same memory from some byte on, the same context data.
  call prif_alias_create(line, [5_c_int64_t, 1_c_int64_t], [6_c_int64_t, int(num_images(), c_int64_t)], 16_c_size_t, alias)
  call prif_alias_create(alias, [2_c_int64_t], none, 8_c_size_t, other)
  call prif_local_data_pointer(line, start)
  call prif_local_data_pointer(alias, memory)
  call require(address(memory) - address(start) == 16, 'the memory of an alias')
  call prif_local_data_pointer(other, memory)
  call require(address(memory) - address(start) == 24, 'the memory of an alias of an alias')
  call prif_size_bytes(alias, bytes)
  call require_equal(int(bytes), 32, 'the size of an alias')
  call prif_set_context_data(other, c_loc(marked))
  call prif_get_context_data(line, context)
  call require(address(context) == address(c_loc(marked)), 'context data of aliases')
  call prif_image_index(alias, [6_c_int64_t, 1_c_int64_t], index)
  call require_equal(int(index), merge(2, 0, num_images() > 1), 'an index of an alias')
  call prif_alias_destroy(other)
  call prif_alias_destroy(alias)

  ! In a team of every other image.
  call prif_form_team(int(1 + mod(me() - 1, 2), c_int64_t), team)
  call prif_change_team(team)
  call prif_ucobound_with_dim(line, 1_c_int, cosubscript)
  call require_equal(int(cosubscript), int(images()), 'a cobound in a team')
  call prif_this_image_with_coarray(line, cosubscripts=one)
  call require_equal(int(one(1)), int(me()), 'a cosubscript in a team')
  call prif_this_image_with_coarray(line, initial, one)
  call require_equal(int(one(1)), this_image_of_all(), 'a cosubscript in the initial team')
  call prif_this_image_with_dim(line, 1_c_int, initial, cosubscript)
  call require_equal(int(cosubscript), this_image_of_all(), 'the same by dim')
  call prif_initial_team_index(line, [int(images(), c_int64_t)], index)
  call require_equal(int(index), 2 * (int(images()) - 1) + 2 - mod(this_image_of_all(), 2), 'the last of the team')
  if (num_images_of_all() > 1) then
    do i = 1, 2
      call prif_image_index_with_team_number(line, [1_c_int64_t], int(i, c_int64_t), index)
      call require_equal(int(index), 1, 'the first of a sibling')
      call prif_initial_team_index_with_team_number(line, [1_c_int64_t], int(i, c_int64_t), index, stat)
      call is_fine(stat, 'prif_initial_team_index_with_team_number')
      call require_equal(int(index), i, 'the first of a sibling in the initial team')
    end do
  end if
  call prif_end_team()
  call prif_deallocate_coarrays([line, grid])

contains

  integer function this_image_of_all()
    integer(c_int) :: all
    call prif_this_image_no_coarray(initial, all)
    this_image_of_all = all
  end function

  integer function num_images_of_all()
    integer(c_int) :: all
    call prif_num_images_with_team(initial, all)
    num_images_of_all = all
  end function
end program
