! Heat conduction on a plate that is divided in both directions. The images are a grid with px rows and py columns.
! Parts differ by one row or column where the points cannot be divided evenly.
program plate
  use iso_fortran_env, only: team_type
  implicit none
  integer, parameter :: n = 100, steps = 300
  real(8), parameter :: pi = 3.141592653589793d0
  real(8), allocatable :: u(:, :)[:, :], new(:, :)
  integer, allocatable :: neighbours(:)
  type(team_type) :: row
  integer :: px, py, x, y, place(2), rows, columns, above, before, i, j, step
  real(8) :: total

  do px = int(sqrt(real(num_images()))), 1, -1
    if (mod(num_images(), px) == 0) exit
  end do
  py = num_images() / px
  ! Each image has room for the largest part, and a halo around it.
  allocate (u(0:(n - 1) / px + 2, 0:(n - 1) / py + 2)[px, *], source=0d0)
  place = this_image(u)
  x = place(1)
  y = place(2)
  above = start(x, px)
  before = start(y, py)
  rows = start(x + 1, px) - above
  columns = start(y + 1, py) - before
  allocate (new(rows, columns))
  do j = 1, columns
    do i = 1, rows
      u(i, j) = sin(pi * (above + i) / (n + 1)) * sin(pi * (before + j) / (n + 1))
    end do
  end do
  neighbours = pack([image_index(u, [x - 1, y]), image_index(u, [x + 1, y]), &
                     image_index(u, [x, y - 1]), image_index(u, [x, y + 1])], &
                    [x > 1, x < px, y > 1, y < py])

  do step = 1, steps
    sync images (neighbours)            ! they have read their halos
    if (x > 1) u(start(x, px) - start(x - 1, px) + 1, 1:columns)[x - 1, y] = u(1, 1:columns)
    if (x < px) u(0, 1:columns)[x + 1, y] = u(rows, 1:columns)
    if (y > 1) u(1:rows, start(y, py) - start(y - 1, py) + 1)[x, y - 1] = u(1:rows, 1)
    if (y < py) u(1:rows, 0)[x, y + 1] = u(1:rows, columns)
    sync images (neighbours)            ! the halo of this image has arrived
    do j = 1, columns
      do i = 1, rows
        new(i, j) = u(i, j) + 0.2d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) &
                                       - 4 * u(i, j))
      end do
    end do
    u(1:rows, 1:columns) = new
  end do

  ! The sum of each row of images, by a team.
  total = sum(u(1:rows, 1:columns))
  form team (x, row)
  change team (row)
    call co_sum(total)
  end team
  if (y == 1) print '(2(a,i0),a,f7.1)', 'rows ', above + 1, ' to ', above + rows, ': ', total

contains

  ! Points before part `part` of `parts`.
  pure integer function start(part, parts)
    integer, intent(in) :: part, parts
    start = (part - 1) * n / parts
  end function start
end program plate
