!> The set of SYNC IMAGES may be a section, a constructor, the result of a function, or an element.
program images_of_expressions
  use checks
  implicit none
  integer :: table(3, 4), me, n, k, i
  integer :: value[*]
  integer, allocatable :: others(:)

  me = this_image(); n = num_images(); value = 0
  table = 0
  table(2, 1) = right_of(me); table(2, 3) = left_of(me)
  sync all
  do k = 1, 20
    value[right_of(me)] = k
    if (n > 2) then
      sync images (table(2, 1:3:2))
    else
      sync images (table(2, 3))
    end if
    call require_equal(value, k, 'after a section or an element')
    sync images (all_images())
    value[right_of(me)] = -k
    sync images ([(i, i = n, 1, -1)])
    call require_equal(value, -k, 'after a constructor')
    others = pack(all_images(), all_images() /= me)
    sync images (others)
    sync images (others(size(others):1:-1))
  end do

contains

  function all_images()
    integer :: all_images(num_images())
    integer :: j
    all_images = [(j, j = 1, num_images())]
  end function
end program
