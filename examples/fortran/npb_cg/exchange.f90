! The exchange between transposed images: a put, then a sync with the partner.
! The receive buffer is double and its halves alternate. The partner can write a
! half again only after the exchange in between, which this image enters when it
! has read that half: so one sync an exchange is enough.
module cg_exchange
  use cg_problem, only: dp
  use cg_grid, only: grid
  implicit none (type, external)
  private
  public :: prepare_exchange, exchange_with_partner, transposed_in, half

  real(dp), allocatable :: transposed_in(:, :)[:] ! element, half
  integer :: half = 1

contains

  subroutine prepare_exchange(at)
    type(grid), intent(in) :: at

    ! Coarrays have one shape on all images: the longest part decides.
    allocate (transposed_in(at%longest_cols, 2)[*])
  end subroutine prepare_exchange

  ! From w, cut along the grid rows, to q, cut along the grid columns.
  subroutine exchange_with_partner(at, w, q)
    type(grid), intent(in) :: at
    real(dp), contiguous, intent(in) :: w(:)
    real(dp), contiguous, intent(out) :: q(:)

    if (at%transposed_image == this_image()) then
      q = w(at%send_first:at%send_last)
      return
    end if
    call put(transposed_in, at%transposed_image, w(at%send_first:at%send_last))
    sync images (at%transposed_image)
    q = transposed_in(1:size(q), half)
    half = 3 - half
  end subroutine exchange_with_partner

  ! The coarray is an argument, here and elsewhere, because gfortran 15 and 16 crash on
  ! variables in the subscripts of a coindexed module variable.
  subroutine put(buffer, image, values)
    real(dp), intent(inout) :: buffer(:, :)[*]
    integer, intent(in) :: image
    real(dp), contiguous, intent(in) :: values(:)

    buffer(1:size(values), half)[image] = values
  end subroutine put
end module cg_exchange
