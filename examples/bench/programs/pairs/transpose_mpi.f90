!> The transposition with MPI: in each turn a rank packs a block for one other and receives one from another.
module transpose_messages
  use mpi
  use pair_timing, only: dp, images, me
  use transpose_matrix, only: add_transposed, width
  implicit none

  real(dp), allocatable :: a(:, :)

contains

  subroutine fill(order)
    integer, intent(in) :: order
    integer :: i, j

    if (.not. allocated(a)) allocate (a(order, width))
    do j = 1, width
      a(:, j) = [(real((me - 1)*width + j - 1, dp)*order + i - 1, i=1, order)]
    end do
  end subroutine fill

  subroutine transposition(n)
    integer, intent(in) :: n
    real(dp), allocatable :: block(:, :), packed(:, :)
    integer :: i, turn, from, to, requests(2), error

    allocate (block(width, width), packed(width, width))
    do i = 1, n
      call add_transposed(me, a((me - 1)*width + 1:me*width, :))
      do turn = 1, images - 1
        from = modulo(me - 1 - turn, images)
        to = modulo(me - 1 + turn, images)
        call mpi_irecv(block, width*width, mpi_double_precision, from, 1, mpi_comm_world, requests(1), error)
        packed = a(to*width + 1:(to + 1)*width, :)
        call mpi_isend(packed, width*width, mpi_double_precision, to, 1, mpi_comm_world, requests(2), error)
        call mpi_waitall(2, requests, mpi_statuses_ignore, error)
        call add_transposed(from + 1, block)
      end do
      a = a + 1
    end do
  end subroutine transposition

end module transpose_messages

program transpose_mpi
  use pair_timing, only: end_pair, start_pair
  use transpose_matrix, only: measure_transposition
  use transpose_messages, only: fill, transposition
  implicit none

  call start_pair()
  call measure_transposition(transposition, fill)
  call end_pair()
end program transpose_mpi
