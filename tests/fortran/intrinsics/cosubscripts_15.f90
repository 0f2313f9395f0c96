!> Corank 15, the largest there is, and coranks that with the rank make 15: cosubscripts, cobounds, image_index.
program cosubscripts_15
  use checks
  implicit none
  integer :: a[1, 2, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, *]
  integer :: b(2, 1, 3)[0:0, -1:0, 1, 2, 1, 1, 1, 1, 1, 1, 1, *]
  integer :: me, n, image, i, j, k, sub(15), sub12(12)

  me = this_image(); n = num_images()
  a = me; b = 10 * me
  sync all
  do image = 1, n
    i = 1 + mod(image - 1, 2); j = 1 + mod((image - 1) / 2, 2); k = 1 + (image - 1) / 4
    sub = 1; sub(2) = i; sub(4) = j; sub(15) = k
    call require_equal(image_index(a, sub), image, 'image_index of corank 15')
    call require_equal(a[1, i, 1, j, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, k], image, 'corank 15')
    call require_equal(b(2, 1, 3)[0, i - 2, 1, j, 1, 1, 1, 1, 1, 1, 1, k], 10 * image, 'rank 3 and corank 12')
  end do
  sub = this_image(a)
  call require_equal(image_index(a, sub), me, 'this_image of corank 15')
  call require_equal(this_image(a, 15), 1 + (me - 1) / 4, 'last cosubscript')
  sub12 = this_image(b)
  call require_equal(sub12(1), 0, 'first cosubscript')
  call require(sub12(2) == mod(me - 1, 2) - 1 .and. sub12(4) == 1 + mod((me - 1) / 2, 2), 'cosubscripts')
  call require(size(lcobound(a)) == 15 .and. size(ucobound(b)) == 12, 'size of cobounds')
  call require(lcobound(b, 2) == -1 .and. ucobound(b, 2) == 0 .and. ucobound(a, 15) == (n + 3) / 4, 'cobounds')
  sub = 1; sub(1) = 2
  call require_equal(image_index(a, sub), 0, 'beyond a cobound')
end program
