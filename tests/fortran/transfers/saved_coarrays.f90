!> Saved coarrays of procedures keep their values between calls and have their initial values in the first one.
program saved_coarrays
  use checks
  implicit none
  integer :: k

  do k = 1, 3
    call accumulate(k)
    call other(k)
  end do

contains

  subroutine accumulate(call_number)
    integer, intent(in) :: call_number
    integer, save :: total[*] = 5
    integer :: sum_before

    sum_before = total[right_of(this_image())]
    call require_equal(sum_before, 5 + 100 * (call_number - 1), 'value kept between calls')
    sync all
    total = total + 100
    sync all
  end subroutine

  subroutine other(call_number)
    integer, intent(in) :: call_number
    ! The same name as in the other procedure, and yet another coarray.
    real, save :: total(3)[*] = [0.5, 1.5, 2.5]
    real :: got(3)

    got = total(:)[right_of(this_image())]
    call require(all(got == [0.5, 1.5, 2.5] * call_number), 'a second saved coarray')
    sync all
    total = [0.5, 1.5, 2.5] * (call_number + 1)
    sync all
  end subroutine
end program
