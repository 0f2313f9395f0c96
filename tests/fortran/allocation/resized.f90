!> Coarrays that are allocated again with other sizes, bounds, cobounds and coranks' extents.
program resized
  use checks
  implicit none
  integer, allocatable :: a(:, :)[:, :]
  integer :: me, n, k, cosub(2)

  me = this_image(); n = num_images()
  do k = 1, 12
    if (mod(k, 2) == 0) then
      allocate (a(k, -1:k)[2, *])
    else
      allocate (a(0:k, 3)[0:0, 5:*])
    end if
    a = 100 * me + k
    call require_equal(size(a), merge(k * (k + 2), 3 * (k + 1), mod(k, 2) == 0), 'size')
    cosub = this_image(a)
    call require_equal(image_index(a, cosub), me, 'image_index')
    call require(all(cosub == merge([1 + mod(me - 1, 2), 1 + (me - 1) / 2], [0, 4 + me], mod(k, 2) == 0)), 'cosubscripts')
    sync all
    if (mod(k, 2) == 0) then
      call require_equal(a(k, k)[1 + mod(n - 1, 2), 1 + (n - 1) / 2], 100 * n + k, 'last image')
    else
      call require_equal(a(k, 3)[0, 4 + n], 100 * n + k, 'last image')
    end if
    sync all
    deallocate (a)
  end do
end program
