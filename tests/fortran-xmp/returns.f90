! `return` out of tasks, in procedures with and without objects of their own; what follows is executed by all nodes.
module returns
  implicit none
  !$xmp nodes p(*)
  !$xmp template t(12)
  !$xmp distribute t(block) onto p
  integer :: a(12)
  !$xmp align a(i) with t(i)
contains
  subroutine plain(k)
    integer, intent(inout) :: k
    !$xmp task on p(1)
    k = k + 1
    if (k > 0) return
    k = -100
    !$xmp end task
    k = k + 2
  end subroutine
  integer function nested(x) result(k)
    integer, intent(in) :: x(12)
    integer :: i
    !$xmp align x(i) with t(i)
    k = 0
    !$xmp task on p(:)
    do i = 1, 3
      if (i == 2) exit
    end do
    !$xmp task on p(1)
    k = 1
10  return
    !$xmp end task
    k = 2
    !$xmp end task
    k = 3
  end function
end module

program test
  use returns
  implicit none
  integer :: i, k, total, images
  a = 1
  images = num_images()
  do i = 1, 3
    k = 0
    call plain(k)
    if (this_image() == 1 .and. k /= 1 .or. this_image() > 1 .and. k /= 2) stop 1
    k = nested(a)
    if (this_image() == 1 .and. k /= 1 .or. this_image() > 1 .and. k /= 3) stop 2
    !$xmp barrier
    total = 1
    !$xmp reduction(+: total)
    if (total /= images) stop 3
  end do
end program
