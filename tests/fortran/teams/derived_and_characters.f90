!> Every kind of by-value transfer between images of a team: derived types, characters, strides, conversions.
program derived_and_characters
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  integer :: which(3)
  type cell
    integer :: n
    real(8) :: w(3)
  end type
  type(team_type) :: team
  type(cell), allocatable :: cells(:)[:]
  character(9), allocatable :: names(:)[:]
  real(4), allocatable :: grid(:, :)[:]
  integer(8) :: wide(6)[*]
  integer :: next, prev, i, j, got(6)
  real(8) :: row(5)

  form team (1 + mod(this_image() - 1, 3), team)
  change team (team)
    next = right_of(this_image()); prev = left_of(this_image())
    allocate (cells(4)[*], names(3)[*], grid(5, 6)[*])
    cells = cell(this_image(), [1, 2, 3]); names = 'mine'; wide = this_image()
    grid = reshape([((10 * i + j, i = 1, 5), j = 1, 6)], [5, 6])
    sync all
    cells(2)[next] = cell(-this_image(), [4, 5, 6])
    cells(3)[next]%w(2) = 0.25d0
    names(2)[next] = 'from there'
    wide(2:6:2)[next] = [1, 2, 3]
    grid(4, :)[next] = [(j, j = 6, 1, -1)]
    sync all
    call require(cells(2)%n == -prev .and. all(cells(2)%w == [4, 5, 6]), 'derived type')
    call require(cells(3)%n == this_image() .and. cells(3)%w(2) == 0.25d0, 'component')
    call require(all(names == ['mine     ', 'from ther', 'mine     ']), 'characters')
    got = wide(:)[next]
    call require(all(got == [next, 1, next, 2, next, 3]), 'strides and kinds')
    row = grid(:, 2)[prev]
    call require(all(row == [12, 22, 32, 5, 52]), 'column')
    which = [5, 4, 1]
    row(1:3) = grid(which, 6)[next]
    call require(all(row(1:3) == [56, 1, 16]), 'vector subscript')
    sync all
  end team
end program
