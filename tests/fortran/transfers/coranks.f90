!> Cosubscripts of more codimensions and of other lower cobounds name the image that image_index says.
program coranks
  use checks
  implicit none
  integer :: a[2, *], b[0:1, -3:-2, *], c[7:*]
  integer, allocatable :: d(:)[:, :]
  integer :: me, image, i, j, k, rows, cosub(3), got(2)

  me = this_image(); rows = max(1, (num_images() + 1) / 2)
  allocate (d(2)[rows, 4:*])
  a = me; b = 10 * me; c = 100 * me; d = [me, -me]
  sync all
  do j = 1, (num_images() + 1) / 2
    do i = 1, 2
      image = image_index(a, [i, j])
      if (image == 0) cycle
      call require_equal(image, i + 2 * (j - 1), 'image_index of [2,*]')
      call require_equal(a[i, j], image, 'a[i,j]')
    end do
  end do
  do image = 1, num_images()
    i = mod(image - 1, 2); j = -3 + mod((image - 1) / 2, 2); k = 1 + (image - 1) / 4
    call require_equal(image_index(b, [i, j, k]), image, 'image_index of [0:1,-3:-2,*]')
    call require_equal(b[i, j, k], 10 * image, 'b[i,j,k]')
    call require_equal(c[6 + image], 100 * image, 'c[i]')
    i = 1 + mod(image - 1, rows); j = 4 + (image - 1) / rows
    got = d(:)[i, j]
    call require(all(got == [image, -image]), 'd(:)[i,j]')
  end do
  cosub = this_image(b)
  call require_equal(image_index(b, cosub), me, 'this_image(b)')
  call require_equal(this_image(c, 1), me + 6, 'this_image(c, 1)')
  call require(all(lcobound(b) == [0, -3, 1]), 'lcobound')
  call require(all(ucobound(a) == [2, (num_images() + 1) / 2]), 'ucobound')
  call require_equal(image_index(a, [1, 1000000]), 0, 'image_index of no image')
  sync all
  a[1 + mod(right_of(me) - 1, 2), 1 + (right_of(me) - 1) / 2] = -me
  sync all
  call require_equal(a, -left_of(me), 'put to a[i,j]')
end program
