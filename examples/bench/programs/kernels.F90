!> What the kernels in Fortran share, by directives and by MPI: sizes, the sparse matrix of kernels.c, random numbers.
#include "kernel_sizes.h"
module kernels
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t
  implicit none
  integer, parameter :: side = LAPLACE, elements = STREAM, batch_count = EP_BATCHES, order = CG_ORDER, row = CG_ROW

  interface
    integer(c_int) function cg_column(row, k) bind(c)
      import :: c_int
      integer(c_int), value :: row, k
    end function cg_column
    real(c_double) function cg_value(k) bind(c)
      import :: c_double, c_int
      integer(c_int), value :: k
    end function cg_value
  end interface
contains
  !> The generator of the NAS benchmarks: x <- 5**13 x mod 2**46, as a number between 0 and 1.
  real(c_double) function ep_uniform(x)
    integer(c_int64_t), intent(inout) :: x
    integer(c_int64_t), parameter :: half = 2_c_int64_t**23, factor = 5_c_int64_t**13

    x = iand(ishft(iand(x/half*factor, half - 1), 23) + iand(x, half - 1)*factor, half*half - 1)
    ep_uniform = real(x, c_double)/real(half*half, c_double)
  end function ep_uniform

  !> Adds the pairs of a batch that are Gaussian to `count`, and their sizes to `sum`.
  subroutine ep_batch(batch, count, sum)
    integer, intent(in) :: batch
    integer(c_int64_t), intent(inout) :: count
    real(c_double), intent(inout) :: sum
    integer(c_int64_t) :: state
    integer :: pair
    real(c_double) :: u, v, square, length

    state = 271828183 + 2*int(batch, c_int64_t)
    do pair = 1, EP_BATCH
      u = 2*ep_uniform(state) - 1
      v = 2*ep_uniform(state) - 1
      square = u*u + v*v
      if (square <= 1) then
        length = sqrt(-2*log(square)/square)
        sum = sum + abs(u*length) + abs(v*length)
        count = count + 1
      end if
    end do
  end subroutine ep_batch
end module kernels
