! co_reduce with an operation of one's own: the place of the largest value.
module places
  implicit none
  type :: found
    real :: value
    integer :: image
  end type found

contains

  pure function larger(one, other)
    type(found), intent(in) :: one, other
    type(found) :: larger
    larger = one
    ! The same result in every order: of equal values that of the image with the lower number.
    if (other%value > one%value .or. (other%value == one%value .and. other%image < one%image)) larger = other
  end function larger
end module places

program reduce
  use places
  implicit none
  type(found) :: best

  best = found(sin(real(this_image())), this_image())
  call co_reduce(best, larger, result_image=1)
  if (this_image() == 1) print '(a,f5.3,a,i0)', 'largest: ', best%value, ' on image ', best%image
end program reduce
