!> The Himeno benchmark's problem of size S for every side of a comparison: the share of an image, the start, and the sweep.
!>
!> Own code; the problem and the stencil of 19 points are the benchmark's. Plain Fortran: translators of directives read it,
!> too. The images share out the planes; two copies of the field take turns, so that nothing is copied back.

!> The inner planes `first` to `last` (from 1) of an image among all; each has as many as the others, or one more.
subroutine himeno_part(me, images, first, last)
  implicit none
  integer, intent(in) :: me, images
  integer, intent(out) :: first, last
  integer, parameter :: planes = 62

  first = planes*(me - 1)/images + 1
  last = planes*me/images
end subroutine himeno_part

!> The start: both copies of the field of planes `first` - 1 to `first` + `n`, and the coefficients.
subroutine himeno_start(first, n, field, a, b, c, source, bound)
  implicit none
  integer, intent(in) :: first, n
  real(4), intent(out) :: field(128, 64, 0:32, 2), a(128, 64, 31, 4), b(128, 64, 31, 3), c(128, 64, 31, 3)
  real(4), intent(out) :: source(128, 64, 31), bound(128, 64, 31)
  integer :: k

  do k = 0, n + 1
    field(:, :, k, :) = real((first + k - 1)**2)/real(63**2)
  end do
  a(:, :, :, 1:3) = 1.0
  a(:, :, :, 4) = 1.0/6.0
  b = 0.0
  c = 1.0
  source = 0.0
  bound = 1.0
end subroutine himeno_start

!> Sweeps over planes `from` to `to` of the copy `old` into the other one; adds the squares of the corrections to gosa.
subroutine himeno_planes(from, to, old, field, a, b, c, source, bound, gosa)
  implicit none
  integer, intent(in) :: from, to, old
  real(4), intent(inout) :: field(128, 64, 0:32, 2)
  real(4), intent(in) :: a(128, 64, 31, 4), b(128, 64, 31, 3), c(128, 64, 31, 3)
  real(4), intent(in) :: source(128, 64, 31), bound(128, 64, 31)
  real(8), intent(inout) :: gosa
  real(4), parameter :: omega = 0.8
  integer :: i, j, k, new
  real(4) :: s, squares

  new = 3 - old
  do k = from, to
    do j = 2, 63
      squares = 0.0
      do i = 2, 127
        s = a(i, j, k, 1)*field(i + 1, j, k, old) + a(i, j, k, 2)*field(i, j + 1, k, old) &
            + a(i, j, k, 3)*field(i, j, k + 1, old) &
            + b(i, j, k, 1)*(field(i + 1, j + 1, k, old) - field(i + 1, j - 1, k, old) &
                             - field(i - 1, j + 1, k, old) + field(i - 1, j - 1, k, old)) &
            + b(i, j, k, 2)*(field(i, j + 1, k + 1, old) - field(i, j - 1, k + 1, old) &
                             - field(i, j + 1, k - 1, old) + field(i, j - 1, k - 1, old)) &
            + b(i, j, k, 3)*(field(i + 1, j, k + 1, old) - field(i - 1, j, k + 1, old) &
                             - field(i + 1, j, k - 1, old) + field(i - 1, j, k - 1, old)) &
            + c(i, j, k, 1)*field(i - 1, j, k, old) + c(i, j, k, 2)*field(i, j - 1, k, old) &
            + c(i, j, k, 3)*field(i, j, k - 1, old) + source(i, j, k)
        s = (s*a(i, j, k, 4) - field(i, j, k, old))*bound(i, j, k)
        squares = squares + s*s
        field(i, j, k, new) = field(i, j, k, old) + omega*s
      end do
      gosa = gosa + squares
    end do
  end do
end subroutine himeno_planes
