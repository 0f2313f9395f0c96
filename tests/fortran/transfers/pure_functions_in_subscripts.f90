!> Pure functions in subscripts of coindexed arrays, which look at the same array of this image.
module numbered
  implicit none
  integer, parameter :: n = 8
  integer, allocatable :: a(:)[:]

contains

  pure integer function own(i)
    integer, intent(in) :: i
    own = a(i)
  end function
end module

program pure_functions_in_subscripts
  use checks
  use numbered
  implicit none
  integer :: me, next, before, i, few(3)

  me = this_image()
  next = mod(me, num_images()) + 1
  before = merge(num_images(), me - 1, me == 1)
  allocate (a(n)[*])
  ! Where an element of this image is a subscript, image 1 has 1, 2, ... and the others have them backwards.
  a = merge([(i, i=1, n)], [(n + 1 - i, i=1, n)], me == 1)
  sync all

  i = a(own(3))[next]
  call require(i == value(next, value(me, 3)), 'an element')
  few = a(own(1):own(1) + merge(2, -2, me == 1):merge(1, -1, me == 1))[next]
  call require(all(few == [(value(next, value(me, 1) + merge(i, -i, me == 1)), i=0, 2)]), 'a section')

  sync all
  ! Puts change the array that the function looks at, but not the element that it returns.
  a(own(6) - 1)[next] = 100 + me
  sync all
  i = value(before, 6) - 1
  call require(a(i) == 100 + before, 'put to an element')

contains

  pure integer function value(image, i)
    integer, intent(in) :: image, i
    value = merge(i, n + 1 - i, image == 1)
  end function
end program
