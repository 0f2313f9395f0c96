!> Laplace, STREAM, EP and CG, written for MPI in Fortran: columns in blocks, halos by MPI_Sendrecv, vectors by MPI_Allgatherv. See
!> kernels.c and xmp_kernels.f90.
module mpi_kernels
  use kernels
  use mpi
  implicit none

  !> A block of indices: the first, the last, and those of all ranks for MPI_Allgatherv.
  type :: block
    integer :: first, last
    integer, allocatable :: counts(:), before(:)
  end type block

  type(block) :: plane, line, batches, rows
  integer :: rank, ranks
  real(c_double), allocatable :: now(:, :), next(:, :), a(:), b(:), c(:), values(:, :), r(:), q(:), direction(:)
  integer, allocatable :: column(:, :)
  integer(c_int64_t), bind(c) :: ep_count
  real(c_double), bind(c) :: ep_sum, cg_rho
contains
  !> The blocks of 1 to `size`.
  type(block) function block_of(size)
    integer, intent(in) :: size
    integer :: width, of

    width = (size + ranks - 1)/ranks
    block_of%before = [(min(of*width, size), of=0, ranks - 1)]
    block_of%counts = [(min((of + 1)*width, size) - min(of*width, size), of=0, ranks - 1)]
    block_of%first = block_of%before(rank + 1) + 1
    block_of%last = block_of%before(rank + 1) + block_of%counts(rank + 1)
  end function block_of

  subroutine laplace() bind(c)
    integer :: i, j, left, right, error

    if (plane%last < plane%first) return
    left = merge(rank - 1, mpi_proc_null, rank > 0)
    right = merge(rank + 1, mpi_proc_null, plane%last < side)
    call mpi_sendrecv(now(:, plane%first), side, mpi_double_precision, left, 0, &
                      now(:, plane%last + 1), side, mpi_double_precision, right, 0, mpi_comm_world, mpi_status_ignore, error)
    call mpi_sendrecv(now(:, plane%last), side, mpi_double_precision, right, 0, &
                      now(:, plane%first - 1), side, mpi_double_precision, left, 0, mpi_comm_world, mpi_status_ignore, error)
    do j = max(plane%first, 2), min(plane%last, side - 1)
      do i = 2, side - 1
        next(i, j) = (now(i, j - 1) + now(i, j + 1) + now(i - 1, j) + now(i + 1, j))/4
      end do
    end do
    do j = max(plane%first, 2), min(plane%last, side - 1)
      do i = 2, side - 1
        now(i, j) = next(i, j)
      end do
    end do
  end subroutine laplace

  subroutine triad() bind(c)
    integer :: i, error

    do i = line%first, line%last
      a(i) = b(i) + 3*c(i)
    end do
    call mpi_barrier(mpi_comm_world, error)
  end subroutine triad

  subroutine ep() bind(c)
    integer :: batch, error
    integer(c_int64_t) :: count
    real(c_double) :: sum

    count = 0
    sum = 0
    do batch = batches%first - 1, batches%last - 1
      call ep_batch(batch, count, sum)
    end do
    call mpi_allreduce(count, ep_count, 1, mpi_integer8, mpi_sum, mpi_comm_world, error)
    call mpi_allreduce(sum, ep_sum, 1, mpi_double_precision, mpi_sum, mpi_comm_world, error)
  end subroutine ep

  !> `direction` is the whole vector on each rank.
  subroutine cg() bind(c)
    integer :: i, k, error
    real(c_double) :: sum, product, rho, length

    call mpi_allgatherv(mpi_in_place, 0, mpi_datatype_null, direction, rows%counts, rows%before, mpi_double_precision, &
                        mpi_comm_world, error)
    do i = rows%first, rows%last
      sum = 0
      do k = 1, row
        sum = sum + values(k, i)*direction(column(k, i))
      end do
      q(i) = sum
    end do
    product = 0
    do i = rows%first, rows%last
      product = product + direction(i)*q(i)
    end do
    call mpi_allreduce(mpi_in_place, product, 1, mpi_double_precision, mpi_sum, mpi_comm_world, error)
    rho = 0
    do i = rows%first, rows%last
      r(i) = q(i)/product
      rho = rho + r(i)*r(i)
    end do
    call mpi_allreduce(mpi_in_place, rho, 1, mpi_double_precision, mpi_sum, mpi_comm_world, error)
    length = sqrt(rho)
    do i = rows%first, rows%last
      direction(i) = r(i)/length
    end do
    cg_rho = rho
  end subroutine cg

  subroutine prepare() bind(c)
    integer :: i, k, error

    call mpi_comm_rank(mpi_comm_world, rank, error)
    call mpi_comm_size(mpi_comm_world, ranks, error)
    plane = block_of(side)
    line = block_of(elements)
    batches = block_of(batch_count)
    rows = block_of(order)
    allocate(now(side, plane%first - 1:plane%last + 1), next(side, plane%first:plane%last))
    do i = plane%first - 1, plane%last + 1
      now(:, i) = [(i + k - 2, k=1, side)]
    end do
    allocate(a(line%first:line%last), b(line%first:line%last), c(line%first:line%last))
    do i = line%first, line%last
      a(i) = -1
      b(i) = i - 1
      c(i) = 2
    end do
    allocate(column(row, rows%first:rows%last), values(row, rows%first:rows%last))
    allocate(r(rows%first:rows%last), q(rows%first:rows%last))
    direction = [(real(mod(i - 1, 7), c_double), i=1, order)]
    do i = rows%first, rows%last
      do k = 1, row
        column(k, i) = cg_column(i - 1, k - 1) + 1
        values(k, i) = cg_value(k - 1)
      end do
    end do
  end subroutine prepare

  integer(c_int) function laplace_is_right() bind(c)
    integer :: i, j

    laplace_is_right = 1
    do j = plane%first, plane%last
      do i = 1, side
        if (now(i, j) /= i + j - 2) laplace_is_right = 0
      end do
    end do
  end function laplace_is_right

  integer(c_int) function triad_is_right() bind(c)
    integer :: i

    triad_is_right = 1
    do i = line%first, line%last
      if (a(i) /= i + 5) triad_is_right = 0
    end do
  end function triad_is_right
end module mpi_kernels
