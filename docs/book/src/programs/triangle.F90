! Multiplies a triangular matrix with a vector again and again. Row i has i elements, which are computed where they are
! needed. VERSION 2 deals the rows to the images like cards, VERSION 3 also combines two sums in one call.
#ifndef VERSION
#define VERSION 1
#endif
program triangle
  implicit none
  integer, parameter :: n = 1000, steps = 400
  real(8), allocatable :: x(:)[:], y(:), sums(:)
  integer, allocatable :: rows(:)
  integer :: me, images, image, step, k

  me = this_image()
  images = num_images()
#if VERSION == 1
  rows = [(k, k=(me - 1) * n / images + 1, me * n / images)]
#else
  rows = [(k, k=me, n, images)]
#endif
  allocate (x(n)[*], source=1d0)
  allocate (y(n), sums(2))

  do step = 1, steps
    call multiply(rows, x, y)
    sync all                            ! all images have read the old vector
    do image = 1, images
      do k = 1, size(rows)
        x(rows(k))[image] = y(rows(k))
      end do
    end do
    sums = [sum(y(rows)), sum(y(rows)**2)]
#if VERSION < 3
    call co_sum(sums(1))
    call co_sum(sums(2))
#else
    call co_sum(sums)
#endif
    sync all                            ! the new vector has arrived
    x = x / sqrt(sums(2))
  end do
  if (me == 1) print '(a,f8.5)', 'sum of the vector: ', sums(1) / sqrt(sums(2))

contains

  subroutine multiply(rows, x, y)
    integer, contiguous, intent(in) :: rows(:)
    real(8), contiguous, intent(in) :: x(:)
    real(8), contiguous, intent(inout) :: y(:)
    integer :: k, i, j
    do k = 1, size(rows)
      i = rows(k)
      y(i) = 0
      do j = 1, i
        y(i) = y(i) + x(j) / (1 + i - j)
      end do
    end do
  end subroutine multiply
end program triangle
