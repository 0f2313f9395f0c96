! Fixes templates and allocates arrays of a module of another file; the sizes of the blocks differ.
subroutine start(n)
  implicit none
  integer, intent(in) :: n
  use later
  integer :: map(num_images()), i, images
  images = num_images()
  map = [(n/(2*images), i = 1, images)]
  map(images) = n - sum(map(:images - 1))
  !$xmp template_fix (gblock(map)) t(0:n - 1)
  !$xmp template_fix (cyclic(3)) u(n)
  allocate(a(2, 0:n - 1))
  allocate(b(n))
end subroutine

program fixed
  use later
  implicit none
  integer, parameter :: n = 48
  integer :: i, total
  call start(n)
  !$xmp loop on t(i)
  do i = 0, n - 1
    a(:, i) = i
  end do
  !$xmp reflect (a)
  !$xmp loop on t(i)
  do i = 1, n - 3
    if (any(a(:, i - 1) + a(:, i + 2) /= 2*i + 1)) call wrong('reflect')
  end do
  !$xmp loop on u(i)
  do i = 1, n
    b(i) = i
  end do
  total = 0
  !$xmp loop on u(i) reduction(+: total)
  do i = 1, n
    if (b(i) == i) total = total + 1
  end do
  if (total /= n) call wrong('cyclic blocks')
  !$xmp gmove
  b(1:n) = a(2, 0:n - 1)
  !$xmp loop on u(i)
  do i = 1, n
    if (b(i) /= i - 1) call wrong('gmove')
  end do
  deallocate(a, b)
contains
  subroutine wrong(what)
    character(*), intent(in) :: what
    print '(2a)', 'wrong: ', what
    error stop
  end subroutine
end program
