!> Accesses of image 2 to coarrays without elements, as the argument says.
program empty_coarrays
  implicit none
  integer, allocatable :: a(:)[:], m(:, :)[:], r(:, :)[:]
  integer :: s(0)[*], x(3), k
  character(20) :: what

  call get_command_argument(1, what)
  allocate (a(0)[*], m(3, 0)[*], r(0, 3)[*])
  k = num_images() - num_images() + 1
  x = 0
  if (this_image() == 2) call access(what)
  sync all
  print *, x
contains
  subroutine access(what)
    character(*), intent(in) :: what
    select case (what)
    case ('put')
      a(k)[1] = 5
    case ('get')
      x(1) = a(k)[1]
    case ('section')
      a(k:k + 1)[1] = x(1:2)
    case ('static')
      s(k + 1)[1] = 4
    case ('column')
      m(:, k)[1] = x
    case ('row')
      x(1) = r(k, k)[1]
    end select
  end subroutine
end program
