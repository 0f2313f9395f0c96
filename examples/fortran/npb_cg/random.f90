! The generator of the specification: x <- 5**13 x mod 2**46, value x / 2**46.
module cg_random
  use, intrinsic :: iso_fortran_env, only: int64
  use cg_problem, only: dp
  implicit none (type, external)
  private
  public :: random_stream

  integer, parameter :: bits = 46, half_bits = 23
  integer(int64), parameter :: multiplier = 5_int64**13
  integer(int64), parameter :: modulus_mask = 2_int64**bits - 1
  integer(int64), parameter :: half_mask = 2_int64**half_bits - 1

  type :: random_stream
    integer(int64) :: state = 314159265_int64
  contains
    procedure :: advance
    procedure :: uniform
    procedure :: leading_bits
  end type random_stream

contains

  ! In halves of 23 bits, so that no product exceeds 63 bits.
  subroutine advance(stream)
    class(random_stream), intent(inout) :: stream
    integer(int64) :: high, low

    low = iand(stream%state, half_mask)
    high = shiftr(stream%state, half_bits)
    high = iand(high * multiplier, half_mask)
    stream%state = iand(shiftl(high, half_bits) + low * multiplier, modulus_mask)
  end subroutine advance

  ! The next number in (0, 1).
  function uniform(stream) result(x)
    class(random_stream), intent(inout) :: stream
    real(dp) :: x

    call stream%advance()
    x = scale(real(stream%state, dp), -bits)
  end function uniform

  ! The next number in [0, 2**count), int(2**count * uniform) without rounding.
  function leading_bits(stream, count) result(x)
    class(random_stream), intent(inout) :: stream
    integer, intent(in) :: count
    integer :: x

    call stream%advance()
    x = int(shiftr(stream%state, bits - count))
  end function leading_bits
end module cg_random
