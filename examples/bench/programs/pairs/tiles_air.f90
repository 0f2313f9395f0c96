!> A stencil over several quantities of the air, in tiles, after the mini-app of the Intermediate Complexity Atmospheric
!> Research model: each image has a tile of columns of air, and exchanges its four edges. Both forms share it.
module tiles_air
  use pair_timing, only: images, me, measure, selected, tell_check, dp
  implicit none
  private
  public :: measure_tiles, place_tiles, start_values, compute, neighbours, west, east, south, north

  !> Cells of a tile from west to east, from ground to top, from south to north.
  integer, parameter, public :: nx = 32, nz = 20, ny = 32
  !> The four sides. Sides 1 and 2, and 3 and 4, are opposite ones.
  integer, parameter :: west = 1, east = 2, south = 3, north = 4
  real, parameter :: c = 0.1

  !> The image on each side; 0 where there is none.
  integer, protected :: neighbours(4)
  integer :: column, row

contains

  !> Places the tiles in a grid that is as square as it can be.
  subroutine place_tiles()
    integer :: rows, columns, i

    do i = 1, images
      if (modulo(images, i) == 0 .and. i*i <= images) rows = i
    end do
    columns = images/rows
    column = modulo(me - 1, columns) + 1
    row = (me - 1)/columns + 1
    neighbours = 0
    if (column > 1) neighbours(west) = me - 1
    if (column < columns) neighbours(east) = me + 1
    if (row > 1) neighbours(south) = me - columns
    if (row < rows) neighbours(north) = me + columns
  end subroutine place_tiles

  !> The start of the quantity of this number. The edges of the whole air keep their values.
  subroutine start_values(number, air)
    integer, intent(in) :: number
    real, intent(out) :: air(0:nx + 1, nz, 0:ny + 1)
    integer :: i, j, k

    do j = 0, ny + 1
      do k = 1, nz
        do i = 0, nx + 1
          air(i, k, j) = number + 0.01*modulo(7*(i + nx*column) + 3*k + 5*(j + ny*row), 32)
        end do
      end do
    end do
  end subroutine start_values

  !> A step of a quantity, after its edges have come.
  subroutine compute(air)
    real, intent(inout) :: air(0:nx + 1, nz, 0:ny + 1)
    real :: before(0:nx + 1, nz, 0:ny + 1)
    integer :: i, j, k

    before = air
    do j = 1, ny
      do k = 2, nz - 1
        do i = 1, nx
          air(i, k, j) = before(i, k, j) + c*(before(i - 1, k, j) + before(i + 1, k, j) + before(i, k - 1, j) &
                                              + before(i, k + 1, j) + before(i, k, j - 1) + before(i, k, j + 1) &
                                              - 6*before(i, k, j))
        end do
      end do
    end do
  end subroutine compute

  !> Times the steps. `start` gives all quantities their start values, and `content` tells the sum of what is in the tile.
  subroutine measure_tiles(do_steps, start, content)
    interface
      subroutine do_steps(n)
        integer, intent(in) :: n
      end subroutine do_steps
      subroutine start()
      end subroutine start
      double precision function content()
      end function content
    end interface
    integer, parameter :: compared_steps = 40

    if (.not. selected('tiles', nx*ny*nz)) return
    call start()
    call measure('tiles', nx*ny*nz, do_steps)
    call start()
    call do_steps(compared_steps)
    call tell_check('tiles', nx*ny*nz, real(content(), dp))
  end subroutine measure_tiles

end module tiles_air
