! prif_sync_all, prif_sync_images, prif_sync_memory and prif_sync_team order puts.
program synchronisation
  use with_prif
  implicit none
  type(prif_coarray_handle) :: data
  type(prif_team_type) :: team
  integer(c_int64_t), pointer :: local(:)
  integer(c_int) :: right, left, stat
  integer(c_int), allocatable :: everyone(:)
  integer :: i, round
  character(len=30) :: errmsg
  character(len=:), allocatable :: errmsg_alloc

  right = int(right_of(this_image()), c_int)
  left = int(left_of(this_image()), c_int)
  everyone = int([(i, i = num_images(), 1, -1)], c_int)
  call make(1, -1_c_int64_t, data, local)
  call prif_form_team(1_c_int64_t, team)

  do round = 1, 5
    call send(10 * round + me())
    select case (round)
    case (1)
      call prif_sync_all(stat, errmsg, errmsg_alloc)
      call is_fine(stat, 'prif_sync_all')
    case (2)
      call prif_sync_images(stat=stat, errmsg=errmsg, errmsg_alloc=errmsg_alloc)
      call is_fine(stat, 'prif_sync_images')
    case (3)
      call prif_sync_images(everyone)
    case (4)
      if (num_images() > 2) then
        ! Every second element of an array.
        call with_gaps([right, -1_c_int, left, -1_c_int])
      else
        call prif_sync_images([right])
      end if
    case (5)
      call prif_sync_team(team, stat, errmsg, errmsg_alloc)
      call is_fine(stat, 'prif_sync_team')
    end select
    call require_equal(int(local(1)), 10 * round + left, 'what the neighbour has put')
    call prif_sync_team(team)
  end do

  call prif_sync_images(everyone(1:0))
  call prif_sync_memory()
  call prif_sync_memory(stat, errmsg, errmsg_alloc)
  call is_fine(stat, 'prif_sync_memory')
  call prif_deallocate_coarray(data)

contains

  subroutine send(value)
    integer, intent(in) :: value
    integer(c_int64_t), target :: buffer
    buffer = value
    call prif_put(right, data, 0_c_size_t, c_loc(buffer), 8_c_size_t)
  end subroutine

  subroutine with_gaps(list)
    integer(c_int), intent(in) :: list(:)
    call prif_sync_images(list(1::2))
  end subroutine
end program
