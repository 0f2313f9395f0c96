! The NAS benchmark EP in XcalableMP: pairs of Gaussian random numbers, counted by their size. Nodes (images) communicate only
! at the end.
!
!     xmpf90 -O3 ep.f90 -o ep && xmprun -n 4 ./ep
!
! `exponent` is the logarithm of the number of pairs: 24 (class S), 25 (W) or 28 (A). A Fortran compiler that knows nothing of
! XcalableMP compiles the same file to a serial program.
program ep
  implicit none
  integer, parameter :: long = selected_int_kind(18), double = kind(1d0)
  integer, parameter :: exponent = 24, rings = 10
  ! Pairs are made in batches of 2**16. Each batch has its own place in the sequence of random numbers.
  integer(long), parameter :: pairs = 2_long**16
  integer, parameter :: batches = 2**(exponent - 16)
  integer(long) :: state, pair, in_ring(0:rings - 1)
  integer :: batch, ring
  real(double) :: x, y, u, v, square, length
  logical :: is_right

  ! An index space of batches, each node a block of them. No array is distributed: a template can divide the work alone.
  !$xmp nodes p(*)
  !$xmp template t(0:batches - 1)
  !$xmp distribute t(block) onto p

  x = 0
  y = 0
  in_ring = 0
  ! Each node makes its batches. The clause adds up the variables of all nodes after the loop: also arrays, whole.
  !$xmp loop (batch) on t(batch) reduction(+: x, y, in_ring)
  do batch = 0, batches - 1
    state = state_behind(2*batch*pairs)
    do pair = 1, pairs
      call draw(state, u)
      call draw(state, v)
      u = 2*u - 1
      v = 2*v - 1
      square = u**2 + v**2
      if (square > 1) cycle
      length = sqrt(-2*log(square)/square)
      u = u*length
      v = v*length
      ring = int(max(abs(u), abs(v)))
      in_ring(ring) = in_ring(ring) + 1
      x = x + u
      y = y + v
    end do
  end do

  is_right = is_known(x, y)
  !$xmp task on p(1)
  print '(a, i0, a, i0, a, 2es20.12, 2a)', '2**', exponent, ' pairs, ', sum(in_ring), ' of them Gaussian; sums ', x, y, &
    ': ', merge('PASS', 'FAIL', is_right)
  !$xmp end task
  if (.not. is_right) stop 1
contains
  ! The product of two numbers modulo 2**46, in halves of 23 bits.
  pure integer(long) function times(a, b)
    integer(long), intent(in) :: a, b
    integer(long), parameter :: half = 2_long**23
    integer(long) :: middle
    middle = mod(a/half*mod(b, half) + mod(a, half)*(b/half), half)
    times = mod(middle*half + mod(a, half)*mod(b, half), half*half)
  end function

  ! The generator of the benchmark: x <- 5**13 x mod 2**46.
  pure subroutine draw(x, uniform)
    integer(long), intent(inout) :: x
    real(double), intent(out) :: uniform
    x = times(x, 5_long**13)
    uniform = scale(real(x, double), -46)
  end subroutine

  ! The state after `count` numbers from the start.
  pure integer(long) function state_behind(count)
    integer(long), intent(in) :: count
    integer(long) :: left, factor
    state_behind = 271828183
    factor = 5_long**13
    left = count
    do while (left > 0)
      if (mod(left, 2_long) == 1) state_behind = times(state_behind, factor)
      factor = times(factor, factor)
      left = left/2
    end do
  end function

  ! Whether these are the sums of the class.
  pure logical function is_known(x, y)
    real(double), intent(in) :: x, y
    real(double) :: right(2)
    select case (exponent)
    case (24)
      right = [-3.247834652034740d3, -6.958407078382297d3]
    case (25)
      right = [-2.863319731645753d3, -6.320053679109499d3]
    case (28)
      right = [-4.295875165629892d3, -1.580732573678431d4]
    case default
      right = huge(x)
    end select
    is_known = all(abs(([x, y] - right)/right) < 1d-8)
  end function
end program
