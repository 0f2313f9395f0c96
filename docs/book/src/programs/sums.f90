! The sum of numbers of very different sizes. By co_sum its last digits depend on the number of images. Together with
! its rounding errors it does not.
module sums_with_errors
  implicit none
  type :: sum_with_error
    real(8) :: sum = 0, error = 0
  end type sum_with_error

contains

  ! The sum of two sums, with the error of this addition, too (Knuth).
  pure function added(one, other)
    type(sum_with_error), intent(in) :: one, other
    type(sum_with_error) :: added
    real(8) :: part
    added%sum = one%sum + other%sum
    part = added%sum - one%sum
    added%error = one%error + other%error + ((one%sum - (added%sum - part)) + (other%sum - part))
  end function added
end module sums_with_errors

program sums
  use sums_with_errors
  implicit none
  integer, parameter :: n = 100000
  type(sum_with_error) :: careful
  real(8) :: plain, number
  integer :: i

  plain = 0
  do i = this_image(), n, num_images()
    number = 10d0**mod(i, 17) / i
    plain = plain + number
    careful = added(careful, sum_with_error(number, 0))
  end do
  call co_sum(plain)
  call co_reduce(careful, added)
  if (this_image() == 1) then
    print '(a,es23.16,a,es23.16)', 'plain ', plain, ', with errors ', careful%sum + careful%error
  end if
end program sums
