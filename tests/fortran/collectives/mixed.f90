!> Different collectives with different roots, types and sizes in quick succession do not disturb each other.
program mixed
  use checks
  implicit none
  integer :: me, n, total, k, root, i
  integer :: x, y, z
  real(8) :: r(33)
  integer(8) :: b(1500)
  character(4) :: s

  me = this_image(); n = num_images(); total = n * (n + 1) / 2
  do k = 1, 60
    root = modulo(k, n) + 1
    x = me + k; y = me - k; z = me
    r = me * k
    b = [(int(me, 8) * i + k, i = 1, size(b))]
    s = merge('root', 'leaf', me == root)
    call co_sum(x)
    call co_broadcast(z, root)
    call co_min(y, result_image=root)
    call co_sum(r, result_image=left_of(root))
    call co_broadcast(s, root)
    call co_max(b)
    if (mod(k, 7) == 0) sync all
    call require_equal(x, total + n * k, 'co_sum')
    call require_equal(z, root, 'co_broadcast')
    if (me == root) call require_equal(y, 1 - k, 'co_min')
    if (me == left_of(root)) call require(all(r == total * k), 'co_sum on one image')
    call require(s == 'root', 'co_broadcast of a character')
    call require(all(b == [(int(n, 8) * i + k, i = 1, size(b))]), 'co_max')
  end do
end program
