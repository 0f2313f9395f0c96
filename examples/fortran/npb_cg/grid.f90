! The images as a grid of rows x cols, square or with twice as many columns as
! rows, and the part of the matrix that each has.
module cg_grid
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none (type, external)
  private
  public :: grid, make_grid

  type :: grid
    integer :: rows, cols
    integer :: row, col                               ! of this image, from 0
    integer :: first_row, last_row, first_col, last_col ! this image's block
    integer :: longest_rows, longest_cols             ! of any image's block
    integer :: transposed_image                       ! may be this image
    integer :: send_first, send_last                  ! of w, what that image needs
  contains
    procedure :: image_at
  end type grid

contains

  ! The start of part k (from 0) of n elements, 0-based. The cuts into `parts`
  ! are among the cuts into 2 * parts: a grid row covers two grid columns.
  pure integer function cut(n, k, parts)
    integer, intent(in) :: n, k, parts

    cut = int(int(n, int64) * k / parts)
  end function cut

  ! The grid of the current team, for a matrix of order n.
  function make_grid(n) result(g)
    integer, intent(in) :: n
    type(grid) :: g
    integer :: ratio, partner_col

    g%rows = 1
    g%cols = 1
    do while (g%rows * g%cols < num_images())
      if (g%cols == g%rows) then
        g%cols = 2 * g%cols
      else
        g%rows = 2 * g%rows
      end if
    end do
    g%row = (this_image() - 1) / g%cols
    g%col = mod(this_image() - 1, g%cols)
    g%first_row = cut(n, g%row, g%rows) + 1
    g%last_row = cut(n, g%row + 1, g%rows)
    g%first_col = cut(n, g%col, g%cols) + 1
    g%last_col = cut(n, g%col + 1, g%cols)
    g%longest_rows = n / g%rows + 1
    g%longest_cols = n / g%cols + 1

    ! The partner needs the part of this image's rows that is its column range;
    ! with cols = 2 * rows that is one half of them.
    ratio = g%cols / g%rows
    partner_col = g%row * ratio + mod(g%col, ratio)
    g%transposed_image = g%image_at(g%col / ratio, partner_col)
    g%send_first = cut(n, partner_col, g%cols) + 2 - g%first_row
    g%send_last = cut(n, partner_col + 1, g%cols) + 1 - g%first_row
  end function make_grid

  ! The image at a place of the grid, counted from 0.
  pure integer function image_at(g, row, col)
    class(grid), intent(in) :: g
    integer, intent(in) :: row, col

    image_at = row * g%cols + col + 1
  end function image_at
end module cg_grid
