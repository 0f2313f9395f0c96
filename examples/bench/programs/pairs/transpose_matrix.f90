!> Transposition of a matrix, after the transpose kernel of the Parallel Research Kernels: the columns of both matrices are in
!> blocks, one for each image, and B = B + transpose(A), A = A + 1. Both forms share it.
module transpose_matrix
  use pair_timing, only: dp, images, me, measure, selected, tell_check, tell_wrong
  implicit none
  private
  public :: measure_transposition, add_transposed, b

  !> Least order of the matrix.
  integer, parameter :: least_order = 1024
  !> Rows and columns of the square blocks in which memory is walked through.
  integer, parameter :: tile = 32

  !> Columns of an image.
  integer, public, protected :: width
  real(dp), allocatable :: b(:, :)

contains

  !> Adds the transposed block that comes from the columns of an image to B.
  subroutine add_transposed(from, block)
    integer, intent(in) :: from
    real(dp), intent(in) :: block(width, width)
    integer :: i, j, it, jt, before

    before = (from - 1)*width
    do jt = 1, width, tile
      do it = 1, width, tile
        do j = jt, min(jt + tile - 1, width)
          do i = it, min(it + tile - 1, width)
            b(before + i, j) = b(before + i, j) + block(j, i)
          end do
        end do
      end do
    end do
  end subroutine add_transposed

  !> Times transpositions. `fill` gives the own columns of A their start values.
  subroutine measure_transposition(transposition, fill)
    interface
      subroutine transposition(n)
        integer, intent(in) :: n
      end subroutine transposition
      subroutine fill(order)
        integer, intent(in) :: order
      end subroutine fill
    end interface
    integer, parameter :: compared_steps = 3
    integer :: i, j, order
    logical :: is_right

    width = (least_order + images - 1)/images
    order = width*images
    if (.not. selected('transpose', least_order)) return
    allocate (b(order, width), source=0.0_dp)
    call fill(order)
    call measure('transpose', least_order, transposition)
    b = 0
    call fill(order)
    call transposition(compared_steps)
    is_right = .true.
    do j = 1, width
      do i = 1, order
        is_right = is_right .and. b(i, j) == compared_steps*(real(i - 1, dp)*order + (me - 1)*width + j - 1) &
                   + compared_steps*(compared_steps - 1)/2
      end do
    end do
    if (.not. is_right) call tell_wrong('transpose', least_order)
    call tell_check('transpose', least_order, sum(b))
  end subroutine measure_transposition

end module transpose_matrix
