!> A sum over the neighbours of each cell, in the main program and in a procedure: the least time of each in microseconds.
program main_loop
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer, parameter :: cells = 20000, sweeps = 300
  integer, allocatable :: neighbour(:,:)
  real(real64), allocatable :: u(:)[:], v(:)
  integer :: i, k, sweep
  integer(int64) :: start, end, rate, least(2)

  allocate (u(cells)[*], v(cells), neighbour(4, cells))
  u = this_image()
  do i = 1, cells
    neighbour(:, i) = modulo([i - 2, i, i - 101, i + 99], cells) + 1
  end do
  least = huge(least)
  do sweep = 1, sweeps
    sync all
    call system_clock(start, rate)
    do i = 1, size(neighbour, 2)
      v(i) = 0
      do k = 1, size(neighbour, 1)
        v(i) = v(i) + u(neighbour(k, i))
      end do
    end do
    call system_clock(end)
    least(1) = min(least(1), end - start)
    sync all
    call system_clock(start)
    call sum_neighbours(neighbour, u, v)
    call system_clock(end)
    least(2) = min(least(2), end - start)
  end do
  if (this_image() == 1) print '(2(a, f0.1))', 'main program ', 1e6_real64*least(1)/rate, &
    ', procedure ', 1e6_real64*least(2)/rate

contains

  subroutine sum_neighbours(neighbour, u, v)
    integer, intent(in), contiguous :: neighbour(:,:)
    real(real64), intent(in), contiguous :: u(:)
    real(real64), intent(inout), contiguous :: v(:)
    integer :: i, k
    do i = 1, size(neighbour, 2)
      v(i) = 0
      do k = 1, size(neighbour, 1)
        v(i) = v(i) + u(neighbour(k, i))
      end do
    end do
  end subroutine
end program
