!> The arrays that the rows of `caf_bandwidth` move.
module caf_arrays
  use caf_timing, only: dp
  implicit none
  private
  real(dp), allocatable, save, public :: far(:)[:]
  real(dp), allocatable, save, public :: near(:)
  !> Words of `near` before the measured part.
  integer, save, public :: skip

  !> Rows and columns of the strided rows' array, words of a thinned column, side of the section.
  integer, parameter, public :: side = 1000, thinned = side/2, tile = 100
  real(dp), allocatable, save, public :: plane(:, :)[:]
  real(dp), save, public :: line(side), patch(tile, tile)
  !> What the tiles of a plane are put from.
  real(dp), allocatable, save, public :: square(:, :)
end module caf_arrays

!> Rows of arrays: the put and get ladder over sizes, and strided sections.
!>
!> The local side is ordinary memory, not a coarray.
!>
!> Bounds of coindexed sections are constants or those of the array, which is allocated to fit: gfortran 15 and 16
!> crash on variables there. (And see `caf_latency`.)
module caf_bandwidth
  use caf_arrays, only: far, line, near, patch, plane, side, skip, square, thinned, tile
  use caf_timing, only: check_written, dp, least_page_words, me, measure, partner, report_wrong, row_body
  use caf_timing, only: selected, words_beside
  implicit none
  private
  public :: run_ladder, run_strided, run_tiles

  !> Bytes of the ladder's rungs: 8 B to 64 MiB.
  integer, parameter :: rungs(10) = &
    [8, 64, 512, 1024, 4096, 32768, 262144, 1048576, 8388608, 67108864]
  integer, parameter :: word_bytes = 8

  !> Rows and columns of the tiles of a plane of these many rows: 4 KiB to 1 MiB.
  integer, parameter :: tile_rows(4) = [32, 64, 256, 512], tile_columns(4) = [16, 64, 128, 256]
  integer, parameter :: plane_rows = 1024, plane_columns = 300

  procedure(row_body) :: put_block, get_block, put_every2, get_every2, put_row, get_row, put_section
  procedure(row_body) :: get_section, put_tile

contains

  !> put and get of every rung.
  subroutine run_ladder()
    integer :: rung, words
    do rung = 1, size(rungs)
      if (.not. (selected('put', rungs(rung)) .or. selected('get', rungs(rung)))) cycle
      words = rungs(rung)/word_bytes
      allocate (far(words)[*], near(least_page_words + words))
      skip = words_beside(loc(near), loc(far))
      far = 0
      near = rung
      call check_written('put', rungs(rung), far, words)
      call check_written('put', rungs(rung), near, size(near))
      call measure('put', rungs(rung), put_block)
      if (me == partner) then
        if (any(far /= rung)) call report_wrong('put', rungs(rung))
      end if
      far = me
      near = 0
      call measure('get', rungs(rung), get_block)
      if (me == 1) then
        if (any(near(skip + 1:skip + words) /= partner)) call report_wrong('get', rungs(rung))
      end if
      deallocate (far, near)
    end do
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
    call check_written('put_every2', thinned*word_bytes, plane, side*side)
    call check_written('put_row', side*word_bytes, plane, side*side)
    call check_written('put_section', tile*tile*word_bytes, plane, side*side)
    call check_written('put_section', tile*tile*word_bytes, patch, tile*tile)
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
    integer :: k, rows, columns, bytes
    do k = 1, size(tile_rows)
      rows = tile_rows(k)
      columns = tile_columns(k)
      bytes = rows*columns*word_bytes
      if (.not. selected('put_tile', bytes)) cycle
      ! The tile is what lies from (1, 1) on.
      allocate (plane(rows - plane_rows + 1:rows, columns - plane_columns + 1:columns)[*], square(rows, columns))
      plane = 0
      square = 7
      call check_written('put_tile', bytes, plane, plane_rows*plane_columns)
      call check_written('put_tile', bytes, square, rows*columns)
      call measure('put_tile', bytes, put_tile)
      call check_put('put_tile', rows*columns)
      deallocate (plane, square)
    end do
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

end module caf_bandwidth

subroutine put_block(n)
  use caf_arrays, only: far, near, skip
  use caf_timing, only: me, partner
  implicit none
  integer, intent(in) :: n
  integer :: i
  if (me /= 1) return
  do i = 1, n
    far(:)[partner] = near(skip + 1:skip + size(far))
  end do
  sync memory
end subroutine put_block

subroutine get_block(n)
  use caf_arrays, only: far, near, skip
  use caf_timing, only: me, partner
  implicit none
  integer, intent(in) :: n
  integer :: i
  if (me /= 1) return
  do i = 1, n
    near(skip + 1:skip + size(far)) = far(:)[partner]
  end do
end subroutine get_block

!> Every second element of a column.
subroutine put_every2(n)
  use caf_arrays, only: line, plane, side, thinned
  use caf_timing, only: me, partner
  implicit none
  integer, intent(in) :: n
  integer :: i
  if (me /= 1) return
  do i = 1, n
    plane(1:side:2, 7)[partner] = line(1:thinned)
  end do
  sync memory
end subroutine put_every2

subroutine get_every2(n)
  use caf_arrays, only: line, plane, side, thinned
  use caf_timing, only: me, partner
  implicit none
  integer, intent(in) :: n
  integer :: i
  if (me /= 1) return
  do i = 1, n
    line(1:thinned) = plane(1:side:2, 7)[partner]
  end do
end subroutine get_every2

!> A row: one element of every column.
subroutine put_row(n)
  use caf_arrays, only: line, plane
  use caf_timing, only: me, partner
  implicit none
  integer, intent(in) :: n
  integer :: i
  if (me /= 1) return
  do i = 1, n
    plane(7, :)[partner] = line
  end do
  sync memory
end subroutine put_row

subroutine get_row(n)
  use caf_arrays, only: line, plane
  use caf_timing, only: me, partner
  implicit none
  integer, intent(in) :: n
  integer :: i
  if (me /= 1) return
  do i = 1, n
    line = plane(7, :)[partner]
  end do
end subroutine get_row

!> A square section: `tile` contiguous pieces of `tile` words.
subroutine put_section(n)
  use caf_arrays, only: patch, plane, tile
  use caf_timing, only: me, partner
  implicit none
  integer, intent(in) :: n
  integer :: i
  if (me /= 1) return
  do i = 1, n
    plane(101:100 + tile, 201:200 + tile)[partner] = patch
  end do
  sync memory
end subroutine put_section

subroutine get_section(n)
  use caf_arrays, only: patch, plane, tile
  use caf_timing, only: me, partner
  implicit none
  integer, intent(in) :: n
  integer :: i
  if (me /= 1) return
  do i = 1, n
    patch = plane(101:100 + tile, 201:200 + tile)[partner]
  end do
end subroutine get_section

!> Contiguous pieces of a column each.
subroutine put_tile(n)
  use caf_arrays, only: plane, square
  use caf_timing, only: me, partner
  implicit none
  integer, intent(in) :: n
  integer :: i
  if (me /= 1) return
  do i = 1, n
    plane(1:, 1:)[partner] = square
  end do
  sync memory
end subroutine put_tile
