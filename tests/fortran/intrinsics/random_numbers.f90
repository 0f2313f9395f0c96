!> random_init: the same numbers on all images, or other ones on each, as asked for.
program random_numbers
  use checks
  implicit none
  real(8) :: x(4)[*], first(4)
  integer :: me, i

  me = this_image()
  call random_init(repeatable=.true., image_distinct=.false.)
  call random_number(x)
  first = x
  sync all
  do i = 1, num_images()
    call require(all(x(:)[i] == first), 'repeatable, the same on all images')
  end do
  sync all
  call random_init(repeatable=.true., image_distinct=.true.)
  call random_number(x)
  first = x
  sync all
  do i = 1, num_images()
    if (i /= me) call require(any(x(:)[i] /= first), 'repeatable, distinct')
  end do
  sync all
  call random_init(.true., .true.)
  call random_number(x)
  call require(all(x == first), 'repeatable: again')
  sync all
  call random_init(.false., .true.)
  call random_number(x)
  first = x
  sync all
  do i = 1, num_images()
    if (i /= me) call require(any(x(:)[i] /= first), 'distinct')
  end do
  sync all
  call random_init(.false., .false.)
  call random_number(x)
  call require(any(x /= first), 'not repeatable')
  first = x
  sync all
  do i = 1, num_images()
    call require(all(x(:)[i] == first), 'not repeatable, the same on all images')
  end do
  sync all
  call random_init(.false., .false.)
  call random_number(x)
  call require(any(x /= first), 'not repeatable: again')
end program
