!> An explicit finite-volume solver of the heat equation in the unit disk: cells, their neighbours, and a step. Both forms
!> share it.
!>
!> The cells are those of a grid whose centres lie in the disk, numbered row by row. Each image owns as many in a row. Its
!> array has its own cells first and then those of others that are neighbours of its own, in the order of their numbers.
module volume_mesh
  use pair_timing, only: dp, images, me, measure, selected, tell_check
  implicit none
  private
  public :: measure_solver, compute, counts, starts, places, give, u

  !> Cells along the diameter of the disk.
  integer, parameter, public :: side = 257
  !> The coefficient of a step: a quarter is the greatest that is stable.
  real(dp), parameter :: c = 0.25_dp

  !> Own cells, and cells of others.
  integer, public, protected :: own, others
  !> For each image: how many of its cells this one has, and how many of the cells of others lie before them.
  integer, allocatable :: counts(:), starts(:)
  !> For each image: how many own cells it has, how many of its cells of others lie before them, and which these cells are.
  integer, allocatable :: places(:)
  type, public :: list
    integer, allocatable :: cells(:)
  end type list
  type(list), allocatable :: give(:)

  !> The values; element 0 is the boundary.
  real(dp), allocatable, target :: u(:)
  real(dp), allocatable :: previous(:)
  !> The four neighbours of each own cell, as elements of the arrays.
  integer, allocatable :: beside(:, :)

contains

  subroutine make_mesh()
    integer :: number(0:side + 1, 0:side + 1), cells, i, j, k, first, last, other
    integer, allocatable :: place(:), wanted(:), around(:, :)

    cells = 0
    number = 0
    do j = 1, side
      do i = 1, side
        if ((2*i - 1 - side)**2 + (2*j - 1 - side)**2 <= side**2) then
          cells = cells + 1
          number(i, j) = cells
        end if
      end do
    end do
    allocate (around(4, cells))
    do j = 1, side
      do i = 1, side
        if (number(i, j) > 0) then
          around(:, number(i, j)) = [number(i, j - 1), number(i + 1, j), number(i, j + 1), number(i - 1, j)]
        end if
      end do
    end do
    allocate (counts(images), starts(images), places(images), give(images))
    do other = 1, images
      wanted = cells_of_others(other)
      if (other == me) cycle
      places(other) = count(owner(wanted) < me)
      give(other)%cells = pack(wanted, owner(wanted) == me) - first_of(me) + 1
    end do
    give(me)%cells = [integer ::]
    first = first_of(me)
    last = first_of(me + 1) - 1
    own = last - first + 1
    wanted = cells_of_others(me)
    others = size(wanted)
    counts = [(count(owner(wanted) == other), other=1, images)]
    starts = [(sum(counts(:other - 1)), other=1, images)]
    allocate (place(0:cells), source=0)
    place(first:last) = [(k, k=1, own)]
    place(wanted) = [(own + k, k=1, others)]
    allocate (beside(4, own))
    do k = 1, own
      beside(:, k) = place(around(:, first + k - 1))
    end do
    allocate (u(0:own + others), previous(0:own + others))

  contains
    !> The first cell of an image.
    integer function first_of(image)
      integer, intent(in) :: image

      first_of = int(int(cells, 8)*(image - 1)/images) + 1
    end function first_of

    !> The image that owns a cell.
    elemental integer function owner(cell)
      integer, intent(in) :: cell

      owner = int((int(cell, 8)*images - 1)/cells) + 1
    end function owner

    !> The cells of others that are neighbours of an image's own.
    function cells_of_others(image) result(wanted)
      integer, intent(in) :: image
      integer, allocatable :: wanted(:)
      logical, allocatable :: is_wanted(:)
      integer :: cell

      allocate (is_wanted(0:cells), source=.false.)
      do cell = first_of(image), first_of(image + 1) - 1
        is_wanted(around(:, cell)) = .true.
      end do
      is_wanted(0) = .false.
      is_wanted(first_of(image):first_of(image + 1) - 1) = .false.
      wanted = pack([(cell, cell=1, cells)], is_wanted(1:))
    end function cells_of_others
  end subroutine make_mesh

  !> The start.
  subroutine start_values()
    u = 1
    u(0) = 0
  end subroutine start_values

  !> The computation of a step, after the values of others have come.
  subroutine compute()
    integer :: j, k
    real(dp) :: sum

    previous = u
    do j = 1, own
      sum = -4*previous(j)
      do k = 1, 4
        sum = sum + previous(beside(k, j))
      end do
      u(j) = previous(j) + c*sum
    end do
  end subroutine compute

  !> Times the solver, and compares the heat that is left after some steps.
  subroutine measure_solver(do_steps)
    interface
      subroutine do_steps(n)
        integer, intent(in) :: n
      end subroutine do_steps
    end interface
    integer, parameter :: compared_steps = 100

    call make_mesh()
    if (selected('volume_step', side)) then
      call start_values()
      call measure('volume_step', side, do_steps)
      call start_values()
      call do_steps(compared_steps)
      call tell_check('volume_step', side, sum(u(1:own)))
    end if
    if (selected('volume_exchange', side)) then
      call start_values()
      call measure('volume_exchange', side, do_steps, communication=.true.)
    end if
  end subroutine measure_solver

end module volume_mesh
