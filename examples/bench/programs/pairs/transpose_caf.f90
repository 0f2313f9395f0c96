!> The transposition with coarrays: each image reads the blocks of its rows from the others.
module transpose_coarrays
  use pair_timing, only: dp, images, me
  use transpose_matrix, only: add_transposed, width
  implicit none

  real(dp), allocatable :: a(:, :)[:]

contains

  subroutine fill(order)
    integer, intent(in) :: order
    integer :: i, j

    if (.not. allocated(a)) allocate (a(order, width)[*])
    do j = 1, width
      a(:, j) = [(real((me - 1)*width + j - 1, dp)*order + i - 1, i=1, order)]
    end do
    sync all
  end subroutine fill

  subroutine transposition(n)
    integer, intent(in) :: n
    real(dp), allocatable :: block(:, :)
    integer :: i, turn, from

    allocate (block(width, width))
    do i = 1, n
      do turn = 0, images - 1
        from = modulo(me - 1 + turn, images) + 1
        block = a((me - 1)*width + 1:me*width, :)[from]
        call add_transposed(from, block)
      end do
      sync all
      a = a + 1
      sync all
    end do
  end subroutine transposition

end module transpose_coarrays

program transpose_caf
  use pair_timing, only: end_pair, start_pair
  use transpose_coarrays, only: fill, transposition
  use transpose_matrix, only: measure_transposition
  implicit none

  call start_pair()
  call measure_transposition(transposition, fill)
  call end_pair()
end program transpose_caf
