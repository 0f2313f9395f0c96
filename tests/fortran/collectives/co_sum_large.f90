!> co_sum of 200000 elements, of odd sizes around the sizes where algorithms change, many times in a row.
program co_sum_large
  use checks
  implicit none
  integer, parameter :: sizes(9) = [8, 63, 129, 511, 2049, 4097, 16385, 65537, 200000]
  real(8), allocatable :: a(:)
  integer(4), allocatable :: b(:)
  integer :: me, n, s, i, total

  me = this_image(); n = num_images(); total = n * (n + 1) / 2
  do s = 1, size(sizes)
    allocate (a(sizes(s)), source=[(1d0 * me * i, i = 1, sizes(s))])
    allocate (b(sizes(s)), source=[(me + i, i = 1, sizes(s))])
    call co_sum(a)
    call co_sum(b)
    call require(all(a == [(1d0 * total * i, i = 1, sizes(s))]), 'real(8)')
    call require(all(b == [(total + n * i, i = 1, sizes(s))]), 'integer')
    a = [(1d0 * me * i, i = 1, sizes(s))]
    call co_sum(a, result_image=n)
    if (me == n) call require(all(a == [(1d0 * total * i, i = 1, sizes(s))]), 'real(8) on the last image')
    deallocate (a, b)
  end do
end program
