!> Image 1 accesses what the first argument names: subscripts that leave their dimension, but not the coarray.
program dimensions
  implicit none
  real, allocatable :: a(:, :)[:]
  real, save :: s(10, 0:9)[*]
  real :: x(3), y(12), z(12, 3)
  integer :: i, w(3), back(2)
  character(20) :: what

  allocate (a(10, 10)[*])
  a = 0; s = 0; x = 1; y = 1; z = 1
  call get_command_argument(1, what)
  ! What the compiler does not know.
  i = 11 + min(num_images(), 1)
  w = [1, 2, i]
  back = [2, 1]
  sync all
  if (this_image() == 1) then
    select case (what)
    case ('vector'); a(w, 3)[2] = x
    case ('vector-get'); x = a(w, 3)[2]
    case ('vector-static'); s(w, 3)[2] = x
    case ('vector-beside'); a(w(1:2), w)[2] = z(1:2, :)
    case ('range-beside'); a(10:i, w(1:2))[2] = z(1:3, 1:2)
    case ('columns'); a(1:i, 1:3)[2] = z
    case ('columns-static'); s(1:i, 1:3)[2] = z
    case ('columns-get'); z = a(1:i, 1:3)[2]
    case ('scalar'); a(8:i, 3)[2] = 1
    case ('before'); a(i - 12:3, 3)[2] = 2
    case ('step'); a(2:i:5, 3)[2] = x
    case ('converted'); a(1:i, 3)[2] = int(y)
    ! What the compiler passes of these is the same as of other subscripts that are right.
    case ('element'); a(i, 3)[2] = 1
    case ('element-before'); a(i - 12, 3)[2] = 1
    case ('column'); a(1:i, 3)[2] = y
    case ('column-before'); a(i - 12:3, 3)[2] = y(1:4)
    case ('beside'); a(i, 1:3)[2] = x
    case ('beside-get'); x = s(i, 1:3)[2]
    ! These do not leave it.
    case ('right')
      a(1:i:3, 1:3)[2] = 1
      a(10:1:-3, 10)[2] = 1
      a(w(1:2), 10)[2] = x(1:2)
      a(10, w(1:2))[2] = x(1:2)
      s(10:9:-1, 9)[2] = 1
      s(back, 0:9:9)[2] = z(1:2, 1:2)
    case default; error stop 'dimensions: unknown case'
    end select
    print '(a)', 'done'
  end if
  sync all
end program dimensions
