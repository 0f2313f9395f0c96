!> Collective subroutines with an invalid image index, the same on all images. The first argument is the subroutine, the
!> second the index; with "stat" as the third one every image prints the status that it got.
module attempts
  implicit none
contains
  !> Calls the subroutine; `status` keeps its value when that does not return one.
  subroutine call_it(subroutine_name, index, x, status, message)
    character(*), intent(in) :: subroutine_name
    integer, intent(in) :: index
    integer, intent(inout) :: x(:), status
    character(*), intent(inout) :: message
    select case (subroutine_name)
    case ('co_broadcast'); call co_broadcast(x, source_image=index, stat=status, errmsg=message)
    case ('co_sum'); call co_sum(x, result_image=index, stat=status, errmsg=message)
    case ('co_min'); call co_min(x, result_image=index, stat=status, errmsg=message)
    case ('co_max'); call co_max(x, result_image=index, stat=status, errmsg=message)
    case ('co_reduce'); call co_reduce(x, plus, result_image=index, stat=status, errmsg=message)
    case default; error stop 'collective_images: unknown subroutine'
    end select
  end subroutine

  pure integer function plus(a, b)
    integer, intent(in) :: a, b
    plus = a + b
  end function
end module

program collective_images
  use attempts
  use, intrinsic :: iso_c_binding, only: c_int64_t, c_loc
  implicit none
  character(20) :: subroutine_name, text, mode
  character(200) :: message
  integer :: index, status, x(3), strided(6)

  call get_command_argument(1, subroutine_name)
  call get_command_argument(2, text)
  call get_command_argument(3, mode)
  read (text, *) index
  x = [1, 2, 3]*this_image(); strided = this_image()
  sync all
  if (mode == 'stat') then
    message = 'untouched'
    call call_it(subroutine_name, index, x, status, message)
    call check(status, message)
    if (any(x /= [1, 2, 3]*this_image())) error stop 'the variable was written'
    call call_it(subroutine_name, index, strided(::2), status, message)
    call check(status, message)
    if (any(strided /= this_image())) error stop 'the section was written'
    call by_value()
    ! All are as they were.
    status = -1
    call co_sum(x, stat=status)
    if (status /= 0 .or. x(1) /= num_images()*(num_images() + 1)/2) error stop 'co_sum: wrong afterwards'
    write (*, '(a,i0)') 'went on: ', this_image()
  else
    select case (subroutine_name)
    case ('co_broadcast'); call co_broadcast(x, source_image=index)
    case ('co_sum'); call co_sum(x, result_image=index)
    case ('co_min'); call co_min(x, result_image=index)
    case ('co_max'); call co_max(x, result_image=index)
    case ('co_reduce'); call co_reduce(x, plus, result_image=index)
    end select
  end if

contains

  subroutine check(status, message)
    integer, intent(in) :: status
    character(*), intent(in) :: message
    if (status <= 0) error stop 'stat= has no error'
    if (status == 6000 .or. status == 6001) error stop 'stat= says that an image has ended'
    if (scan_for(subroutine_name) == 0 .or. scan_for('_image: image index '//text) == 0 .or. scan_for(' 1:') == 0) then
      error stop 'errmsg= does not say what is wrong: '//trim(message)
    end if
  end subroutine

  integer function scan_for(words)
    character(*), intent(in) :: words
    intrinsic :: index
    scan_for = index(message, trim(words))
  end function

  !> Variables of fixed length, which the compiler passes by value: nothing is destroyed, whatever is in them.
  subroutine by_value()
    integer :: s
    integer(c_int64_t) :: address
    character(40), target :: beside
    character(4) :: m4
    character(8) :: m8
    character(12) :: m12
    character(16) :: m16
    character(40) :: m40
    beside = 'untouched'
    address = transfer(c_loc(beside), address)
    m4 = 'abcd'; m40 = 'the longest of them'
    m8 = transfer(address, m8); m12 = transfer([address, 40_c_int64_t], m12); m16 = transfer([address, 40_c_int64_t], m16)
    select case (subroutine_name)
    case ('co_broadcast')
      s = 0; call co_broadcast(x, source_image=index, stat=s, errmsg=m4); call require_error(s)
      s = 0; call co_broadcast(x, source_image=index, stat=s, errmsg=m8); call require_error(s)
      s = 0; call co_broadcast(x, source_image=index, stat=s, errmsg=m12); call require_error(s)
      s = 0; call co_broadcast(x, source_image=index, stat=s, errmsg=m16); call require_error(s)
      s = 0; call co_broadcast(x, source_image=index, stat=s, errmsg=m40); call require_error(s)
    case ('co_sum')
      s = 0; call co_sum(x, result_image=index, stat=s, errmsg=m4); call require_error(s)
      s = 0; call co_sum(x, result_image=index, stat=s, errmsg=m8); call require_error(s)
      s = 0; call co_sum(x, result_image=index, stat=s, errmsg=m12); call require_error(s)
      s = 0; call co_sum(x, result_image=index, stat=s, errmsg=m16); call require_error(s)
      s = 0; call co_sum(x, result_image=index, stat=s, errmsg=m40); call require_error(s)
    case ('co_min')
      s = 0; call co_min(x, result_image=index, stat=s, errmsg=m4); call require_error(s)
      s = 0; call co_min(x, result_image=index, stat=s, errmsg=m8); call require_error(s)
      s = 0; call co_min(x, result_image=index, stat=s, errmsg=m12); call require_error(s)
      s = 0; call co_min(x, result_image=index, stat=s, errmsg=m16); call require_error(s)
      s = 0; call co_min(x, result_image=index, stat=s, errmsg=m40); call require_error(s)
    case ('co_max')
      s = 0; call co_max(x, result_image=index, stat=s, errmsg=m4); call require_error(s)
      s = 0; call co_max(x, result_image=index, stat=s, errmsg=m8); call require_error(s)
      s = 0; call co_max(x, result_image=index, stat=s, errmsg=m12); call require_error(s)
      s = 0; call co_max(x, result_image=index, stat=s, errmsg=m16); call require_error(s)
      s = 0; call co_max(x, result_image=index, stat=s, errmsg=m40); call require_error(s)
    case ('co_reduce')
      s = 0; call co_reduce(x, plus, result_image=index, stat=s, errmsg=m4); call require_error(s)
      s = 0; call co_reduce(x, plus, result_image=index, stat=s, errmsg=m8); call require_error(s)
      s = 0; call co_reduce(x, plus, result_image=index, stat=s, errmsg=m12); call require_error(s)
      s = 0; call co_reduce(x, plus, result_image=index, stat=s, errmsg=m16); call require_error(s)
      s = 0; call co_reduce(x, plus, result_image=index, stat=s, errmsg=m40); call require_error(s)
    end select
    if (beside /= 'untouched') error stop 'what errmsg= contains is taken for an address'
    if (m4 /= 'abcd' .or. transfer(m8, address) /= address) error stop 'errmsg= is partly written'
  end subroutine

  subroutine require_error(status)
    integer, intent(in) :: status
    if (status <= 0) error stop 'stat= has no error'
  end subroutine
end program
