!> this_image and num_images: from procedures, in expressions, the same all the time.
program images
  use checks
  implicit none
  integer :: seen(64)[*]
  integer :: me, n, i

  me = this_image(); n = num_images()
  call require(me >= 1 .and. me <= n, 'this_image')
  seen = 0
  sync all
  do i = 1, n
    seen(me)[i] = me
  end do
  sync all
  call require(all(seen(1:n) == [(i, i = 1, n)]) .and. all(seen(n + 1:) == 0), 'every image once')
  do i = 1, 1000
    if (this_image() /= me .or. num_images() /= n) call require(.false., 'changes')
  end do
end program
