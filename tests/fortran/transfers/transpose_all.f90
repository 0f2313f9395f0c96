!> Every image exchanges a block with every other one: rows here become columns there.
program transpose_all
  use checks
  implicit none
  integer, parameter :: k = 3
  integer, allocatable :: by_rows(:, :)[:], by_columns(:, :)[:], pulled(:, :)
  integer :: me, n, i, j, other

  me = this_image(); n = num_images()
  allocate (by_rows(k * n, k)[*], by_columns(k, k * n)[*], pulled(k, k * n))
  do j = 1, k
    by_rows(:, j) = [(1000 * (k * (me - 1) + j) + i, i = 1, k * n)]
  end do
  by_columns = -1
  sync all
  do other = 1, n
    by_columns(:, k * (me - 1) + 1:k * me)[other] = by_rows(k * (other - 1) + 1:k * other, :)
    pulled(:, k * (other - 1) + 1:k * other) = by_rows(k * (me - 1) + 1:k * me, :)[other]
  end do
  sync all
  do j = 1, k * n
    call require(all(by_columns(:, j) == 1000 * j + [(k * (me - 1) + i, i = 1, k)]), 'pushed blocks')
  end do
  call require(all(pulled == by_columns), 'pulled blocks')
end program
