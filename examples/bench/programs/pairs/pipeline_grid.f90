!> A pipeline over a grid, after the synch_p2p kernel of the Parallel Research Kernels: an element depends on the one above
!> it, the one to its left, and the one above that. The rows are in blocks, one for each image; an image passes the last
!> element of each column on to the next image. The element at the end, negated, is the first one of the next sweep. Both
!> forms share it.
module pipeline_grid
  use pair_timing, only: dp, images, me, measure, selected, tell_check, tell_wrong
  implicit none
  private
  public :: measure_pipeline, compute_column, first_values

  !> Rows and columns.
  integer, parameter, public :: rows = 1000, columns = 1000
  !> The first and the last own row, of 2 to `rows`.
  integer, public, protected :: first, last

contains

  !> The values before the first sweep: of the own rows, of the row above them, and of the corner.
  subroutine first_values(grid, above, top)
    real(dp), intent(out) :: grid(first:, :), above(:), top
    integer :: j

    grid = 0
    grid(:, 1) = [(j - 1, j=first, last)]
    above = 0
    if (me == 1) then
      above = [(j - 1, j=1, columns)]
    else
      above(1) = first - 2
    end if
    top = 0
  end subroutine first_values

  !> An own column: `above` and `above_left` are the elements above its first one, and above the one left of that.
  subroutine compute_column(above, above_left, left, column)
    real(dp), intent(in) :: above, above_left, left(first:last)
    real(dp), intent(out) :: column(first:last)
    integer :: i

    if (last < first) return
    column(first) = above + left(first) - above_left
    do i = first + 1, last
      column(i) = column(i - 1) + left(i) - left(i - 1)
    end do
  end subroutine compute_column

  !> Times sweeps over the grid, if the row is asked for. Each adds the same to the corner: the element at the end, which `corner` tells on image
  !> 1, is known.
  subroutine measure_pipeline(name, sweep, start, corner)
    character(len=*), intent(in) :: name
    interface
      subroutine sweep(n)
        integer, intent(in) :: n
      end subroutine sweep
      subroutine start()
      end subroutine start
      double precision function corner()
      end function corner
    end interface
    integer, parameter :: compared_sweeps = 3
    real(dp) :: value

    first = 2 + (rows - 1)*(me - 1)/images
    last = 1 + (rows - 1)*me/images
    if (.not. selected(name, rows)) return
    call start()
    call measure(name, rows, sweep)
    call start()
    call sweep(compared_sweeps)
    value = corner()
    if (me == 1 .and. value /= compared_sweeps*(rows + columns - 2)) call tell_wrong(name, rows)
    call tell_check(name, rows, value)
  end subroutine measure_pipeline

end module pipeline_grid
