!> Rows of arrays: the put and get ladder over sizes, and strided sections.
!>
!> The local side is ordinary memory, not a coarray.
module caf_bandwidth
  use caf_timing, only: dp, me, measure, partner, report_wrong, selected
  implicit none
  private
  public :: run_ladder, run_strided, run_tiles

  !> Bytes of the ladder's rungs: 8 B to 64 MiB.
  integer, parameter :: rungs(9) = &
    [8, 64, 512, 4096, 32768, 262144, 1048576, 8388608, 67108864]
  integer, parameter :: word_bytes = 8

  real(dp), allocatable, save :: far(:)[:]
  real(dp), allocatable, save :: near(:)
  !> Words of the current rung.
  integer, save :: words
  !> Words of `near` before the measured part, so that it starts 2 KiB into a page and no library's
  !> segment starts just below it: on AMD Zen 3 and 4 a `memcpy` of the C library whose destination
  !> lies 1 to 15 bytes above its source modulo 4096 is 13 times slower, which would measure the
  !> accident of an address.
  integer, parameter :: skip = 256

  !> Rows and columns of the strided rows' array, words of a thinned column, side of the section.
  integer, parameter :: side = 1000, thinned = side/2, tile = 100
  real(dp), allocatable, save :: plane(:, :)[:]
  real(dp), save :: line(side), patch(tile, tile)

  !> Rows and columns of the tiles of a plane of these many rows: 4 KiB to 1 MiB.
  integer, parameter :: tile_rows(4) = [32, 64, 256, 512], tile_columns(4) = [16, 64, 128, 256]
  integer, parameter :: plane_rows = 1024, plane_columns = 300
  real(dp), allocatable, save :: square(:, :)
  !> Rows and columns of the current tile.
  integer, save :: rows, columns

contains

  !> put and get of every rung.
  subroutine run_ladder()
    integer :: rung, largest
    largest = 0
    do rung = 1, size(rungs)
      if (selected('put', rungs(rung)) .or. selected('get', rungs(rung))) largest = rungs(rung)
    end do
    if (largest == 0) return
    allocate (far(largest/word_bytes)[*], near(skip + largest/word_bytes))
    do rung = 1, size(rungs)
      words = rungs(rung)/word_bytes
      if (words > size(far)) exit
      far(1:words) = 0
      near = rung
      call measure('put', rungs(rung), put_block)
      if (me == partner) then
        if (any(far(1:words) /= rung)) call report_wrong('put', rungs(rung))
      end if
      far(1:words) = me
      near = 0
      call measure('get', rungs(rung), get_block)
      if (me == 1) then
        if (any(near(skip + 1:skip + words) /= partner)) call report_wrong('get', rungs(rung))
      end if
    end do
    deallocate (far, near)
  end subroutine run_ladder

  !> put_every2, put_row, put_section and the same for get.
  subroutine run_strided()
    if (.not. (selected('put_every2', thinned*word_bytes) .or. selected('get_every2', thinned*word_bytes) &
               .or. selected('put_row', side*word_bytes) .or. selected('get_row', side*word_bytes) &
               .or. selected('put_section', tile*tile*word_bytes) &
               .or. selected('get_section', tile*tile*word_bytes))) return
    allocate (plane(side, side)[*])
    plane = 0
    line = 7
    patch = 7
    call measure('put_every2', thinned*word_bytes, put_every2)
    call check_put('put_every2', thinned)
    call measure('put_row', side*word_bytes, put_row)
    call check_put('put_row', side)
    call measure('put_section', tile*tile*word_bytes, put_section)
    call check_put('put_section', tile*tile)
    plane = me
    call measure('get_every2', thinned*word_bytes, get_every2)
    call check_get('get_every2', thinned, sum(line(1:thinned)))
    call measure('get_row', side*word_bytes, get_row)
    call check_get('get_row', side, sum(line))
    call measure('get_section', tile*tile*word_bytes, get_section)
    call check_get('get_section', tile*tile, sum(patch))
    deallocate (plane)
  end subroutine run_strided

  !> put_tile of every size: 2-D sections of a plane, from a local array of their shape.
  subroutine run_tiles()
    integer :: k, bytes
    logical :: any_selected
    any_selected = .false.
    do k = 1, size(tile_rows)
      any_selected = any_selected .or. selected('put_tile', tile_rows(k)*tile_columns(k)*word_bytes)
    end do
    if (.not. any_selected) return
    allocate (plane(plane_rows, plane_columns)[*])
    plane = 0
    do k = 1, size(tile_rows)
      rows = tile_rows(k)
      columns = tile_columns(k)
      bytes = rows*columns*word_bytes
      allocate (square(rows, columns))
      square = 7
      call measure('put_tile', bytes, put_tile)
      if (selected('put_tile', bytes)) call check_put('put_tile', rows*columns)
      deallocate (square)
    end do
    deallocate (plane)
  end subroutine run_tiles

  !> Exactly `elements` words of the target must be 7 and no other touched.
  subroutine check_put(name, elements)
    character(len=*), intent(in) :: name
    integer, intent(in) :: elements
    if (me == partner) then
      if (sum(plane) /= 7.0_dp*elements) call report_wrong(name, elements*word_bytes)
    end if
    sync all
    plane = 0
  end subroutine check_put

  !> Every word read must be the partner's image index.
  subroutine check_get(name, elements, total)
    character(len=*), intent(in) :: name
    integer, intent(in) :: elements
    real(dp), intent(in) :: total
    if (me == 1 .and. total /= real(partner, dp)*elements) &
      call report_wrong(name, elements*word_bytes)
  end subroutine check_get

  subroutine put_block(n)
    integer, intent(in) :: n
    integer :: i
    if (me /= 1) return
    do i = 1, n
      far(1:words)[partner] = near(skip + 1:skip + words)
    end do
    sync memory
  end subroutine put_block

  subroutine get_block(n)
    integer, intent(in) :: n
    integer :: i
    if (me /= 1) return
    do i = 1, n
      near(skip + 1:skip + words) = far(1:words)[partner]
    end do
  end subroutine get_block

  !> Every second element of a column.
  subroutine put_every2(n)
    integer, intent(in) :: n
    integer :: i
    if (me /= 1) return
    do i = 1, n
      plane(1:side:2, 7)[partner] = line(1:thinned)
    end do
    sync memory
  end subroutine put_every2

  subroutine get_every2(n)
    integer, intent(in) :: n
    integer :: i
    if (me /= 1) return
    do i = 1, n
      line(1:thinned) = plane(1:side:2, 7)[partner]
    end do
  end subroutine get_every2

  !> A row: one element of every column.
  subroutine put_row(n)
    integer, intent(in) :: n
    integer :: i
    if (me /= 1) return
    do i = 1, n
      plane(7, :)[partner] = line
    end do
    sync memory
  end subroutine put_row

  subroutine get_row(n)
    integer, intent(in) :: n
    integer :: i
    if (me /= 1) return
    do i = 1, n
      line = plane(7, :)[partner]
    end do
  end subroutine get_row

  !> A square section: `tile` contiguous pieces of `tile` words.
  subroutine put_section(n)
    integer, intent(in) :: n
    integer :: i
    if (me /= 1) return
    do i = 1, n
      plane(101:100 + tile, 201:200 + tile)[partner] = patch
    end do
    sync memory
  end subroutine put_section

  subroutine get_section(n)
    integer, intent(in) :: n
    integer :: i
    if (me /= 1) return
    do i = 1, n
      patch = plane(101:100 + tile, 201:200 + tile)[partner]
    end do
  end subroutine get_section

  !> `columns` contiguous pieces of `rows` words.
  subroutine put_tile(n)
    integer, intent(in) :: n
    integer :: i
    if (me /= 1) return
    do i = 1, n
      plane(11:10 + rows, 21:20 + columns)[partner] = square
    end do
    sync memory
  end subroutine put_tile

end module caf_bandwidth
