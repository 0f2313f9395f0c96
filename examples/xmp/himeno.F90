! The Himeno benchmark in XcalableMP: pressure by Jacobi's method with a stencil of 19 points, on a grid of nodes.
!
!     xmpf90 -O3 -DNODES_J=2 himeno.F90 -o himeno && xmprun -n 4 ./himeno
!
! NODES_J nodes (images) lie along the second direction, all others along the third; NODES_J is 1 when it is not given.
! SIZE_I, SIZE_J and SIZE_K are the points in each direction. The result is the same for every grid, but for the
! rounding of one sum. A Fortran compiler that knows nothing of XcalableMP makes a serial program of the same file.

#ifndef NODES_J
#define NODES_J 1
#endif
#ifndef SIZE_I
#define SIZE_I 65
#define SIZE_J 65
#define SIZE_K 129
#endif

module grid
  implicit none
  integer, parameter :: ni = SIZE_I, nj = SIZE_J, nk = SIZE_K
  ! A grid of nodes, and the points in blocks over it; the first dimension is whole on each node.
  !$xmp nodes nodes(NODES_J, *)
  !$xmp template points(ni, nj, nk)
  !$xmp distribute points(*, block, block) onto nodes
  ! The pressure and its next value, coefficients, boundary and source. A dimension with `*` is not distributed.
  real :: p(ni, nj, nk), next(ni, nj, nk), bound(ni, nj, nk), source(ni, nj, nk)
  real :: a(ni, nj, nk, 4), b(ni, nj, nk, 3), c(ni, nj, nk, 3)
  !$xmp align (i, j, k) with points(i, j, k) :: p, next, bound, source
  !$xmp align (i, j, k, *) with points(i, j, k) :: a, b, c
  ! The stencil looks one point further: room for the neighbours' points around each block.
  !$xmp shadow p(0, 1, 1)

contains

  subroutine begin()
    integer :: i, j, k
    !$xmp loop (j, k) on points(*, j, k)
    do k = 1, nk
      do j = 1, nj
        do i = 1, ni
          a(i, j, k, :) = [1.0, 1.0, 1.0, 1.0/6]
          b(i, j, k, :) = 0
          c(i, j, k, :) = 1
          p(i, j, k) = real((k - 1)**2)/(nk - 1)**2
          source(i, j, k) = 0
          bound(i, j, k) = 1
        end do
      end do
    end do
  end subroutine

  ! One sweep; the sum of the squared residuals.
  real(8) function sweep() result(residual)
    real, parameter :: omega = 0.8
    integer :: i, j, k
    real :: s0, ss
    residual = 0
    ! The points beside each block come from the neighbours, corners included.
    !$xmp reflect (p)
    !$xmp loop (j, k) on points(*, j, k) reduction(+: residual)
    do k = 2, nk - 1
      do j = 2, nj - 1
        do i = 2, ni - 1
          s0 = a(i, j, k, 1)*p(i + 1, j, k) + a(i, j, k, 2)*p(i, j + 1, k) + a(i, j, k, 3)*p(i, j, k + 1) &
            + b(i, j, k, 1)*(p(i + 1, j + 1, k) - p(i + 1, j - 1, k) - p(i - 1, j + 1, k) + p(i - 1, j - 1, k)) &
            + b(i, j, k, 2)*(p(i, j + 1, k + 1) - p(i, j - 1, k + 1) - p(i, j + 1, k - 1) + p(i, j - 1, k - 1)) &
            + b(i, j, k, 3)*(p(i + 1, j, k + 1) - p(i - 1, j, k + 1) - p(i + 1, j, k - 1) + p(i - 1, j, k - 1)) &
            + c(i, j, k, 1)*p(i - 1, j, k) + c(i, j, k, 2)*p(i, j - 1, k) + c(i, j, k, 3)*p(i, j, k - 1) &
            + source(i, j, k)
          ss = (s0*a(i, j, k, 4) - p(i, j, k))*bound(i, j, k)
          residual = residual + ss*ss
          next(i, j, k) = p(i, j, k) + omega*ss
        end do
      end do
    end do
    !$xmp loop (j, k) on points(*, j, k)
    do k = 2, nk - 1
      do j = 2, nj - 1
        do i = 2, ni - 1
          p(i, j, k) = next(i, j, k)
        end do
      end do
    end do
  end function
end module

program himeno
  use grid
  implicit none
  integer, parameter :: sweeps = 20
  integer(8) :: before, now, rate
  integer :: n
  real(8) :: residual, seconds

  call begin()
  residual = sweep()
  !$xmp barrier
  call system_clock(before, rate)
  do n = 1, sweeps
    residual = sweep()
  end do
  call system_clock(now)
  seconds = real(now - before, 8)/rate
  ! The slowest node counts.
  !$xmp reduction (max: seconds)
  !$xmp task on nodes(1, 1)
  print '(3(i0,a),i0,a,es12.6,a,i0,a)', ni, ' x ', nj, ' x ', nk, ' points, ', sweeps, ' sweeps: gosa ', &
    residual, ', ', int(34d0*sweeps*(ni - 2)*(nj - 2)*(nk - 2)/seconds/1d6), ' MFLOPS'
  !$xmp end task
end program
