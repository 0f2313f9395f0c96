!> How many messages loops take that get single elements of several images of another host in turn, or of several arrays, whose
!> distance is a power of two.
program turns_messages
  use checks
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  interface
    integer(c_int) function messages_since() bind(c)
      import :: c_int
    end function
  end interface
  integer, parameter :: others(3) = [4, 5, 6], elements = 10000, places = 131072
  double precision :: all(places, 4)[*]
  double precision :: found
  integer :: i, turn

  call require_equal(num_images(), 6, 'images')
  do i = 1, 4
    all(:, i) = [(turn*i + this_image(), turn=1, places)]
  end do
  sync all
  if (this_image() == 1) then
    found = messages_since()
    do i = 1, elements
      turn = others(1 + modulo(i, 3))
      call require(all(i, 1)[turn] == i + turn, 'element of an image')
    end do
    call check_count('three images')
    ! What was got is got again.
    sync memory
    do i = 1, elements/4
      do turn = 1, 4
        call require(all(i, turn)[4] == i*turn + 4, 'element of an array')
      end do
    end do
    call check_count('four arrays')
  end if
  sync all

contains

  !> At most one message for 50 elements.
  subroutine check_count(loop)
    character(len=*), intent(in) :: loop
    integer :: sent

    sent = messages_since()
    call require(sent > 0, 'messages are counted')
    if (sent*50 > elements) print '(2a, i0, a)', loop, ': ', sent, ' messages'
  end subroutine check_count

end program
