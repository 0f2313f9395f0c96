!> The tiles with MPI: the edges of all quantities for a neighbour are packed into one message.
module tiles_messages
  use mpi
  use pair_timing, only: dp
  use tiles_air
  implicit none

  integer, parameter :: quantities = 3
  !> Elements of an edge of all quantities, for each side.
  integer, parameter :: edge(4) = quantities*[nz*ny, nz*ny, nx*nz, nx*nz]
  real, allocatable :: air(:, :, :, :), sent(:, :), received(:, :)

contains

  subroutine start()
    integer :: q

    if (.not. allocated(air)) then
      allocate (air(0:nx + 1, nz, 0:ny + 1, quantities))
      allocate (sent(maxval(edge), 4), received(maxval(edge), 4))
    end if
    do q = 1, quantities
      call start_values(q, air(:, :, :, q))
    end do
  end subroutine start

  !> The edge of the tile on a side, or with `beyond` the halo there, as a block of the array.
  pure function block_at(side, beyond) result(bounds)
    integer, intent(in) :: side, beyond
    integer :: bounds(4)

    select case (side)
    case (west)
      bounds = [1 - beyond, 1 - beyond, 1, ny]
    case (east)
      bounds = [nx + beyond, nx + beyond, 1, ny]
    case (south)
      bounds = [1, nx, 1 - beyond, 1 - beyond]
    case default
      bounds = [1, nx, ny + beyond, ny + beyond]
    end select
  end function block_at

  subroutine exchange()
    integer :: side, opposite, count, requests(8), b(4), error
    integer, parameter :: opposites(4) = [east, west, north, south]

    count = 0
    do side = 1, 4
      if (neighbours(side) == 0) cycle
      count = count + 1
      call mpi_irecv(received(:, side), edge(side), mpi_real, neighbours(side) - 1, side, mpi_comm_world, &
                     requests(count), error)
    end do
    do side = 1, 4
      if (neighbours(side) == 0) cycle
      b = block_at(side, 0)
      sent(:edge(side), side) = reshape(air(b(1):b(2), :, b(3):b(4), :), [edge(side)])
      opposite = opposites(side)
      count = count + 1
      call mpi_isend(sent(:, side), edge(side), mpi_real, neighbours(side) - 1, opposite, mpi_comm_world, &
                     requests(count), error)
    end do
    call mpi_waitall(count, requests, mpi_statuses_ignore, error)
    do side = 1, 4
      if (neighbours(side) == 0) cycle
      b = block_at(side, 1)
      air(b(1):b(2), :, b(3):b(4), :) = &
        reshape(received(:edge(side), side), [b(2) - b(1) + 1, nz, b(4) - b(3) + 1, quantities])
    end do
  end subroutine exchange

  subroutine do_steps(n)
    integer, intent(in) :: n
    integer :: i, q

    do i = 1, n
      call exchange()
      do q = 1, quantities
        call compute(air(:, :, :, q))
      end do
    end do
  end subroutine do_steps

  double precision function content()
    content = sum(real(air(1:nx, :, 1:ny, :), dp))
  end function content

end module tiles_messages

program tiles_mpi
  use pair_timing, only: end_pair, start_pair
  use tiles_air, only: measure_tiles, place_tiles
  use tiles_messages, only: content, do_steps, start
  implicit none

  call start_pair()
  call place_tiles()
  call measure_tiles(do_steps, start, content)
  call end_pair()
end program tiles_mpi
