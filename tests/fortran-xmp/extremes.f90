! The first image wants another extreme than the others.
program extremes
    implicit none
!$xmp nodes p(*)
    integer :: i
    real :: s
    i = this_image()
    s = real(i)
    if (i /= 1) then
!$xmp reduction(firstmax:s/i/)
    else
!$xmp reduction(firstmin:s/i/)
    end if
!$xmp barrier
    print *, s, i
end program
