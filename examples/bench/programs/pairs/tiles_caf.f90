!> The tiles with coarrays: a quantity is a derived type, of which the halos are coarrays. The neighbours write into them.
module tiles_coarrays
  use pair_timing, only: dp
  use tiles_air
  implicit none

  !> A quantity. Two sets of halos take turns, so that one synchronisation of neighbours a step is enough.
  type :: quantity
    real, allocatable :: air(:, :, :)
    real, allocatable :: from_west(:, :, :)[:], from_east(:, :, :)[:], from_south(:, :, :)[:], from_north(:, :, :)[:]
  contains
    procedure :: make, send, retrieve
  end type quantity

  type(quantity) :: heat, vapour, wind
  !> The set of halos that is used next.
  integer :: set = 1

contains

  subroutine make(this, number)
    class(quantity), intent(inout) :: this
    integer, intent(in) :: number

    if (.not. allocated(this%air)) then
      allocate (this%air(0:nx + 1, nz, 0:ny + 1))
      allocate (this%from_west(nz, ny, 2)[*], this%from_east(nz, ny, 2)[*])
      allocate (this%from_south(nx, nz, 2)[*], this%from_north(nx, nz, 2)[*])
    end if
    call start_values(number, this%air)
  end subroutine make

  subroutine send(this)
    class(quantity), intent(inout) :: this

    if (neighbours(west) > 0) this%from_east(:, :, set)[neighbours(west)] = this%air(1, :, 1:ny)
    if (neighbours(east) > 0) this%from_west(:, :, set)[neighbours(east)] = this%air(nx, :, 1:ny)
    if (neighbours(south) > 0) this%from_north(:, :, set)[neighbours(south)] = this%air(1:nx, :, 1)
    if (neighbours(north) > 0) this%from_south(:, :, set)[neighbours(north)] = this%air(1:nx, :, ny)
  end subroutine send

  subroutine retrieve(this)
    class(quantity), intent(inout) :: this

    if (neighbours(west) > 0) this%air(0, :, 1:ny) = this%from_west(:, :, set)
    if (neighbours(east) > 0) this%air(nx + 1, :, 1:ny) = this%from_east(:, :, set)
    if (neighbours(south) > 0) this%air(1:nx, :, 0) = this%from_south(:, :, set)
    if (neighbours(north) > 0) this%air(1:nx, :, ny + 1) = this%from_north(:, :, set)
  end subroutine retrieve

  subroutine do_steps(n)
    integer, intent(in) :: n
    integer :: i
    integer, allocatable :: mates(:)

    mates = pack(neighbours, neighbours > 0)
    do i = 1, n
      call heat%send()
      call vapour%send()
      call wind%send()
      sync images (mates)
      call heat%retrieve()
      call vapour%retrieve()
      call wind%retrieve()
      set = 3 - set
      call compute(heat%air)
      call compute(vapour%air)
      call compute(wind%air)
    end do
  end subroutine do_steps

  subroutine start()
    call heat%make(1)
    call vapour%make(2)
    call wind%make(3)
  end subroutine start

  double precision function content()
    content = sum(real(heat%air(1:nx, :, 1:ny), dp)) + sum(real(vapour%air(1:nx, :, 1:ny), dp)) &
              + sum(real(wind%air(1:nx, :, 1:ny), dp))
  end function content

end module tiles_coarrays

program tiles_caf
  use pair_timing, only: end_pair, start_pair
  use tiles_air, only: measure_tiles, place_tiles
  use tiles_coarrays, only: content, do_steps, start
  implicit none

  call start_pair()
  call place_tiles()
  call measure_tiles(do_steps, start, content)
  call end_pair()
end program tiles_caf
