! Heat conduction in a plate, in XcalableMP: a Fortran program plus directives. Each node (image) has a block of
! columns.
!
!     xmpf90 -O3 heat.f90 -o heat && xmprun -n 4 ./heat
!
! A Fortran compiler that knows nothing of XcalableMP compiles the same file to a serial program:
!
!     gfortran -O3 heat.f90 -o heat
!
! The first temperature is an eigenvector of the discrete equation: each step multiplies it by one number, so the exact
! result is known at every point.
program heat
  implicit none
  integer, parameter :: rows = 302, columns = 402, steps = 500
  real(8), parameter :: pi = acos(-1d0)
  real(8) :: now(rows, columns), next(rows, columns), error
  integer :: i, j, step

  ! The nodes that execute the program: as many as xmprun starts.
  !$xmp nodes p(*)
  ! An index space, and which node has which part of it: rows whole, columns in blocks.
  !$xmp template t(rows, columns)
  !$xmp distribute t(*, block) onto p
  ! Element (i, j) is where index (i, j) of the template is. The shadow has room for a column of each neighbour.
  !$xmp align (i, j) with t(i, j) :: now, next
  !$xmp shadow now(0, 1)

  ! Each node executes the iterations whose columns it has; indices are those of the whole plate.
  !$xmp loop (j) on t(*, j)
  do j = 1, columns
    do i = 1, rows
      now(i, j) = exact(i, j, 0)
    end do
  end do

  do step = 1, steps
    ! Fills the shadow: the columns beside the block are copied from the neighbours.
    !$xmp reflect (now)
    !$xmp loop (j) on t(*, j)
    do j = 2, columns - 1
      do i = 2, rows - 1
        next(i, j) = (now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1))/4
      end do
    end do
    !$xmp loop (j) on t(*, j)
    do j = 2, columns - 1
      do i = 2, rows - 1
        now(i, j) = next(i, j)
      end do
    end do
  end do

  ! The largest error of all nodes: each has that of its part, the clause combines them.
  error = 0
  !$xmp loop (j) on t(*, j) reduction(max: error)
  do j = 2, columns - 1
    do i = 2, rows - 1
      error = max(error, abs(now(i, j) - exact(i, j, steps)))
    end do
  end do

  ! One node prints.
  !$xmp task on p(1)
  print '(i0,a,i0,a,i0,a,es7.1,2a)', rows, ' x ', columns, ' points, ', steps, ' steps: largest error ', error, ': ', &
    merge('PASS', 'FAIL', error < 1d-12)
  !$xmp end task
  if (error >= 1d-12) stop 1

contains

  real(8) function exact(i, j, steps)
    integer, intent(in) :: i, j, steps
    real(8) :: row, column
    row = sin(pi/(2*(rows - 1)))
    column = sin(pi/(2*(columns - 1)))
    exact = (1 - row**2 - column**2)**steps*sin(pi*(i - 1)/(rows - 1))*sin(pi*(j - 1)/(columns - 1))
  end function
end program
