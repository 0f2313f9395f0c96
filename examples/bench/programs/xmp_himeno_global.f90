!> Himeno in the global view of XcalableMP: planes are reflected before each sweep. See himeno_rows.f90; the planes
!> 0 and 63 are the boundary.
module himeno_global_data
  implicit none
  integer, parameter :: nx = 128, ny = 64, last = 63
  !$xmp nodes p(*)
  !$xmp template t(0:last)
  !$xmp distribute t(block) onto p
  real(4) :: even(nx, ny, 0:last), odd(nx, ny, 0:last)
  real(4) :: a(nx, ny, 0:last, 4), b(nx, ny, 0:last, 3), c(nx, ny, 0:last, 3)
  real(4) :: source(nx, ny, 0:last), bound(nx, ny, 0:last)
  !$xmp align (*, *, k) with t(k) :: even, odd, source, bound
  !$xmp align (*, *, k, *) with t(k) :: a, b, c
  !$xmp shadow even(0, 0, 1)
  !$xmp shadow odd(0, 0, 1)
end module himeno_global_data

program xmp_himeno_global
  use himeno_global_data
  implicit none
  integer :: xmp_node_num, xmp_num_nodes

  call himeno_rows(xmp_node_num(), xmp_num_nodes())
end program xmp_himeno_global

!> The value of node 1 for all.
subroutine himeno_share(n)
  use himeno_global_data
  implicit none
  integer, intent(inout) :: n

  !$xmp bcast (n) from p(1)
end subroutine himeno_share

!> `n` sweeps from the start; gosa is that of the last one. There is one way to exchange planes.
subroutine himeno_sweeps(overlap, n, gosa)
  use himeno_global_data
  implicit none
  integer, intent(in) :: overlap, n
  real(8), intent(out) :: gosa
  real(4), parameter :: omega = 0.8
  integer :: i, j, k, sweep
  real(4) :: s, squares
  real(8) :: sum

  if (overlap /= 0) stop 'xmp_himeno_global: planes are exchanged before each sweep only'
  !$xmp loop on t(k)
  do k = 0, last
    even(:, :, k) = real(k**2)/real(last**2)
    odd(:, :, k) = even(:, :, k)
    a(:, :, k, 1:3) = 1.0
    a(:, :, k, 4) = 1.0/6.0
    b(:, :, k, :) = 0.0
    c(:, :, k, :) = 1.0
    source(:, :, k) = 0.0
    bound(:, :, k) = 1.0
  end do
  do sweep = 1, n
    sum = 0
    if (mod(sweep, 2) == 1) then
      !$xmp reflect (even)
      !$xmp loop on t(k) reduction(+: sum)
      do k = 1, last - 1
        do j = 2, ny - 1
          squares = 0.0
          do i = 2, nx - 1
            s = a(i, j, k, 1)*even(i + 1, j, k) + a(i, j, k, 2)*even(i, j + 1, k) + a(i, j, k, 3)*even(i, j, k + 1) &
                + b(i, j, k, 1)*(even(i + 1, j + 1, k) - even(i + 1, j - 1, k) &
                                 - even(i - 1, j + 1, k) + even(i - 1, j - 1, k)) &
                + b(i, j, k, 2)*(even(i, j + 1, k + 1) - even(i, j - 1, k + 1) &
                                 - even(i, j + 1, k - 1) + even(i, j - 1, k - 1)) &
                + b(i, j, k, 3)*(even(i + 1, j, k + 1) - even(i - 1, j, k + 1) &
                                 - even(i + 1, j, k - 1) + even(i - 1, j, k - 1)) &
                + c(i, j, k, 1)*even(i - 1, j, k) + c(i, j, k, 2)*even(i, j - 1, k) &
                + c(i, j, k, 3)*even(i, j, k - 1) + source(i, j, k)
            s = (s*a(i, j, k, 4) - even(i, j, k))*bound(i, j, k)
            squares = squares + s*s
            odd(i, j, k) = even(i, j, k) + omega*s
          end do
          sum = sum + squares
        end do
      end do
    else
      !$xmp reflect (odd)
      !$xmp loop on t(k) reduction(+: sum)
      do k = 1, last - 1
        do j = 2, ny - 1
          squares = 0.0
          do i = 2, nx - 1
            s = a(i, j, k, 1)*odd(i + 1, j, k) + a(i, j, k, 2)*odd(i, j + 1, k) + a(i, j, k, 3)*odd(i, j, k + 1) &
                + b(i, j, k, 1)*(odd(i + 1, j + 1, k) - odd(i + 1, j - 1, k) &
                                 - odd(i - 1, j + 1, k) + odd(i - 1, j - 1, k)) &
                + b(i, j, k, 2)*(odd(i, j + 1, k + 1) - odd(i, j - 1, k + 1) &
                                 - odd(i, j + 1, k - 1) + odd(i, j - 1, k - 1)) &
                + b(i, j, k, 3)*(odd(i + 1, j, k + 1) - odd(i - 1, j, k + 1) &
                                 - odd(i + 1, j, k - 1) + odd(i - 1, j, k - 1)) &
                + c(i, j, k, 1)*odd(i - 1, j, k) + c(i, j, k, 2)*odd(i, j - 1, k) &
                + c(i, j, k, 3)*odd(i, j, k - 1) + source(i, j, k)
            s = (s*a(i, j, k, 4) - odd(i, j, k))*bound(i, j, k)
            squares = squares + s*s
            even(i, j, k) = odd(i, j, k) + omega*s
          end do
          sum = sum + squares
        end do
      end do
    end if
    gosa = sum
  end do
end subroutine himeno_sweeps
