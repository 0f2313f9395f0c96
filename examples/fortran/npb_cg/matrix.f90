! One block of the matrix: the sum over i of size(i) v(i) v(i)^T, with sparse
! random v(i), plus (0.1 - shift) times the identity; rows are compressed.
module cg_matrix
  use cg_problem, only: dp, problem
  use cg_random, only: random_stream
  implicit none (type, external)
  private
  public :: sparse_block, build_block, multiply

  real(dp), parameter :: condition = 0.1_dp

  type :: sparse_block
    integer, allocatable :: row_start(:) ! rows + 1
    integer, allocatable :: column(:)    ! counted from 1 at the block's first column
    real(dp), allocatable :: value(:)
  end type sparse_block

  ! The generating vectors: vector i has length(i) elements.
  type :: generators
    integer, allocatable :: length(:), row(:, :)
    real(dp), allocatable :: element(:, :)
  end type generators

contains

  subroutine generate(stream, prob, vectors)
    type(random_stream), intent(inout) :: stream
    type(problem), intent(in) :: prob
    type(generators), intent(out) :: vectors
    integer :: i, k, row, log2n
    real(dp) :: element

    log2n = 0
    do while (2**log2n < prob%n)
      log2n = log2n + 1
    end do
    allocate (vectors%length(prob%n))
    allocate (vectors%row(prob%nonzer + 1, prob%n), vectors%element(prob%nonzer + 1, prob%n))
    do i = 1, prob%n
      k = 0
      do while (k < prob%nonzer)
        element = stream%uniform()
        row = stream%leading_bits(log2n) + 1
        if (row > prob%n) cycle
        if (any(vectors%row(1:k, i) == row)) cycle
        k = k + 1
        vectors%row(k, i) = row
        vectors%element(k, i) = element
      end do
      ! Element i of vector i is one half, so that the diagonal is full.
      row = findloc(vectors%row(1:k, i), i, dim=1)
      if (row == 0) then
        k = k + 1
        row = k
      end if
      vectors%row(row, i) = i
      vectors%element(row, i) = 0.5_dp
      vectors%length(i) = k
    end do
  end subroutine generate

  ! For each column of the block the generating vectors that have an element
  ! there: use k of column c is element place(k) of vector user(k).
  subroutine invert(vectors, first_col, last_col, start, user, place)
    type(generators), intent(in) :: vectors
    integer, intent(in) :: first_col, last_col
    integer, allocatable, intent(out) :: start(:), user(:), place(:)
    integer, allocatable :: next(:)
    integer :: i, k, col

    allocate (start(first_col:last_col + 1), next(first_col:last_col))
    next = 0
    do i = 1, size(vectors%length)
      do k = 1, vectors%length(i)
        col = vectors%row(k, i)
        if (col >= first_col .and. col <= last_col) next(col) = next(col) + 1
      end do
    end do
    start(first_col) = 1
    do col = first_col, last_col
      start(col + 1) = start(col) + next(col)
    end do
    allocate (user(start(last_col + 1) - 1), place(start(last_col + 1) - 1))
    next = start(first_col:last_col)
    do i = 1, size(vectors%length)
      do k = 1, vectors%length(i)
        col = vectors%row(k, i)
        if (col < first_col .or. col > last_col) cycle
        user(next(col)) = i
        place(next(col)) = k
        next(col) = next(col) + 1
      end do
    end do
  end subroutine invert

  ! Rows are filled column by column, so each comes out sorted and equal columns
  ! meet at its end: linear time, no sorting. The first pass counts.
  subroutine build_block(prob, first_row, last_row, first_col, last_col, block)
    type(problem), intent(in) :: prob
    integer, intent(in) :: first_row, last_row, first_col, last_col
    type(sparse_block), intent(out) :: block
    type(random_stream) :: stream
    type(generators) :: vectors
    integer, allocatable :: start(:), user(:), place(:), latest(:), last(:)
    real(dp), allocatable :: weight(:)
    integer :: i, k, u, row, col, rows
    real(dp) :: factor, entry
    logical :: filling

    call stream%advance() ! the specification draws one number before the matrix
    call generate(stream, prob, vectors)
    call invert(vectors, first_col, last_col, start, user, place)

    allocate (weight(prob%n))
    weight(1) = 1.0_dp
    factor = condition**(1.0_dp / real(prob%n, dp))
    do i = 2, prob%n
      weight(i) = weight(i - 1) * factor
    end do

    rows = last_row - first_row + 1
    allocate (latest(first_row:last_row), last(first_row:last_row), block%row_start(rows + 1))
    last = 0
    filling = .false.
    do
      latest = 0
      do col = first_col, last_col
        do u = start(col), start(col + 1) - 1
          i = user(u)
          do k = 1, vectors%length(i)
            row = vectors%row(k, i)
            if (row < first_row .or. row > last_row) cycle
            if (latest(row) /= col) then
              latest(row) = col
              last(row) = last(row) + 1
              if (filling) then
                block%column(last(row)) = col - first_col + 1
                block%value(last(row)) = 0.0_dp
              end if
            end if
            if (filling) then
              entry = vectors%element(place(u), i) * (weight(i) * vectors%element(k, i))
              if (row == col .and. row == i) entry = entry + condition - prob%shift
              block%value(last(row)) = block%value(last(row)) + entry
            end if
          end do
        end do
      end do
      if (filling) exit
      filling = .true.
      block%row_start(1) = 1
      do row = 1, rows
        block%row_start(row + 1) = block%row_start(row) + last(first_row + row - 1)
        last(first_row + row - 1) = block%row_start(row) - 1
      end do
      allocate (block%column(block%row_start(rows + 1) - 1))
      allocate (block%value(block%row_start(rows + 1) - 1))
    end do
  end subroutine build_block

  ! w = block * p. Two partial sums, as one would wait for each addition.
  pure subroutine multiply(block, p, w)
    type(sparse_block), intent(in) :: block
    real(dp), contiguous, intent(in) :: p(:)
    real(dp), contiguous, intent(out) :: w(:)
    real(dp) :: odd, even
    integer :: row, k, last

    do row = 1, size(w)
      last = block%row_start(row + 1) - 1
      odd = 0.0_dp
      even = 0.0_dp
      do k = block%row_start(row), last - 1, 2
        odd = odd + block%value(k) * p(block%column(k))
        even = even + block%value(k + 1) * p(block%column(k + 1))
      end do
      if (k == last) odd = odd + block%value(k) * p(block%column(k))
      w(row) = odd + even
    end do
  end subroutine multiply
end module cg_matrix
