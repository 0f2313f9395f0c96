! NPB CG in Fortran 2008 coarrays: the smallest eigenvalue of a sparse symmetric
! matrix by inverse power iteration, each step solved by 25 steps of conjugate
! gradients. Written from the NAS Parallel Benchmarks specification.
!
! Usage:  npb_cg [S|W|A|B]      (default A; any power-of-two number of images)
!
! The images form a grid of rows x cols. The matrix is cut in blocks along the
! grid; vectors are cut along the columns and repeated in each row of the grid.
! A product w = A p is a local product, a sum over the images of the grid row,
! and an exchange with the transposed image that turns the result, cut along the
! rows, back into one cut along the columns.

module cg_problem
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none (type, external)
  private
  public :: dp, problem, find_problem

  integer, parameter :: dp = real64

  ! One class of the benchmark, with the official result.
  type :: problem
    character(len=1) :: name
    integer :: n          ! order of the matrix
    integer :: nonzer     ! non-zeros of a generating vector
    integer :: iterations ! steps of the power iteration
    real(dp) :: shift
    real(dp) :: zeta
  end type problem

  type(problem), parameter :: classes(4) = [ &
      problem('S', 1400, 7, 15, 10.0_dp, 8.5971775078648_dp), &
      problem('W', 7000, 8, 15, 12.0_dp, 10.362595087124_dp), &
      problem('A', 14000, 11, 15, 20.0_dp, 17.130235054029_dp), &
      problem('B', 75000, 13, 75, 60.0_dp, 22.712745482631_dp)]

contains

  subroutine find_problem(name, found, the_problem)
    character(len=*), intent(in) :: name
    logical, intent(out) :: found
    type(problem), intent(out) :: the_problem
    integer :: k

    the_problem = classes(1)
    found = .false.
    do k = 1, size(classes)
      if (classes(k)%name == name) then
        the_problem = classes(k)
        found = .true.
      end if
    end do
  end subroutine find_problem
end module cg_problem

! The generator of the specification: x <- 5**13 x mod 2**46, value x / 2**46.
module cg_random
  use, intrinsic :: iso_fortran_env, only: int64
  use cg_problem, only: dp
  implicit none (type, external)
  private
  public :: random_stream

  integer, parameter :: bits = 46, half_bits = 23
  integer(int64), parameter :: multiplier = 5_int64**13
  integer(int64), parameter :: modulus_mask = 2_int64**bits - 1
  integer(int64), parameter :: half_mask = 2_int64**half_bits - 1

  type :: random_stream
    integer(int64) :: state = 314159265_int64
  contains
    procedure :: advance
    procedure :: uniform
    procedure :: leading_bits
  end type random_stream

contains

  ! In halves of 23 bits, so that no product exceeds 63 bits.
  subroutine advance(stream)
    class(random_stream), intent(inout) :: stream
    integer(int64) :: high, low

    low = iand(stream%state, half_mask)
    high = shiftr(stream%state, half_bits)
    high = iand(high * multiplier, half_mask)
    stream%state = iand(shiftl(high, half_bits) + low * multiplier, modulus_mask)
  end subroutine advance

  ! The next number in (0, 1).
  function uniform(stream) result(x)
    class(random_stream), intent(inout) :: stream
    real(dp) :: x

    call stream%advance()
    x = scale(real(stream%state, dp), -bits)
  end function uniform

  ! The next number in [0, 2**count), int(2**count * uniform) without rounding.
  function leading_bits(stream, count) result(x)
    class(random_stream), intent(inout) :: stream
    integer, intent(in) :: count
    integer :: x

    call stream%advance()
    x = int(shiftr(stream%state, bits - count))
  end function leading_bits
end module cg_random

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

! The grid of images and its exchanges: puts, then a sync with the one partner.
! Each receive buffer is double and the halves alternate. A partner can write a
! half again only after the exchange in between, which this image enters when it
! has read that half: so one sync per exchange is enough.
module cg_grid
  use, intrinsic :: iso_fortran_env, only: int64
  use cg_problem, only: dp
  implicit none (type, external)
  private
  public :: setup_grid, sum_over_row, transpose_result
  public :: first_row, last_row, first_col, last_col

  integer, protected :: first_row, last_row, first_col, last_col
  integer :: steps                            ! of a sum over the grid row
  integer, allocatable :: row_partner(:)      ! image index for each step
  integer :: transposed_image                 ! may be this image
  integer :: send_first, send_last            ! of w, what the transposed image needs
  integer :: vector_half = 1, scalar_half = 1, transpose_half = 1

  real(dp), allocatable :: vector_in(:, :, :)[:]  ! element, step, half
  real(dp), allocatable :: scalar_in(:, :, :)[:]  ! element, step, half
  real(dp), allocatable :: transposed_in(:, :)[:] ! element, half

  interface sum_over_row
    module procedure sum_scalars
    module procedure sum_vector
  end interface sum_over_row

contains

  ! The start of part k (from 0) of n elements, 0-based. The cuts into `parts`
  ! are among the cuts into 2 * parts: a grid row covers two grid columns.
  pure integer function cut(n, k, parts)
    integer, intent(in) :: n, k, parts

    cut = int(int(n, int64) * k / parts)
  end function cut

  subroutine setup_grid(n, rows, cols)
    integer, intent(in) :: n
    integer, intent(out) :: rows, cols
    integer :: row, col, ratio, step

    rows = 1
    cols = 1
    do while (rows * cols < num_images())
      if (cols == rows) then
        cols = 2 * cols
      else
        rows = 2 * rows
      end if
    end do
    row = (this_image() - 1) / cols
    col = mod(this_image() - 1, cols)
    first_row = cut(n, row, rows) + 1
    last_row = cut(n, row + 1, rows)
    first_col = cut(n, col, cols) + 1
    last_col = cut(n, col + 1, cols)

    steps = trailz(cols)
    allocate (row_partner(steps))
    do step = 1, steps
      row_partner(step) = row * cols + ieor(col, 2**(step - 1)) + 1
    end do

    ! The partner needs the part of this image's rows that is its column range;
    ! with cols = 2 * rows that is one half of them.
    ratio = cols / rows
    transposed_image = (col / ratio) * cols + row * ratio + mod(col, ratio) + 1
    send_first = cut(n, row * ratio + mod(col, ratio), cols) + 2 - first_row
    send_last = cut(n, row * ratio + mod(col, ratio) + 1, cols) + 1 - first_row

    ! Coarrays have one shape on all images: the longest part decides.
    allocate (vector_in(n / rows + 1, max(1, steps), 2)[*])
    allocate (scalar_in(2, max(1, steps), 2)[*])
    allocate (transposed_in(n / cols + 1, 2)[*])
  end subroutine setup_grid

  ! Recursive doubling: every image of the row ends with the same bits.
  subroutine sum_vector(w)
    real(dp), contiguous, intent(inout) :: w(:)
    integer :: step, n

    n = size(w)
    do step = 1, steps
      vector_in(1:n, step, vector_half)[row_partner(step)] = w
      sync images (row_partner(step))
      w = w + vector_in(1:n, step, vector_half)
    end do
    vector_half = 3 - vector_half
  end subroutine sum_vector

  ! The same for one or two numbers; the second is optional.
  subroutine sum_scalars(s, t)
    real(dp), intent(inout) :: s
    real(dp), intent(inout), optional :: t
    integer :: step

    do step = 1, steps
      scalar_in(1, step, scalar_half)[row_partner(step)] = s
      if (present(t)) scalar_in(2, step, scalar_half)[row_partner(step)] = t
      sync images (row_partner(step))
      s = s + scalar_in(1, step, scalar_half)
      if (present(t)) t = t + scalar_in(2, step, scalar_half)
    end do
    scalar_half = 3 - scalar_half
  end subroutine sum_scalars

  ! From w, cut along the grid rows, to q, cut along the grid columns.
  subroutine transpose_result(w, q)
    real(dp), contiguous, intent(in) :: w(:)
    real(dp), contiguous, intent(out) :: q(:)
    integer :: n

    if (transposed_image == this_image()) then
      q = w(send_first:send_last)
      return
    end if
    n = send_last - send_first + 1
    transposed_in(1:n, transpose_half)[transposed_image] = w(send_first:send_last)
    sync images (transposed_image)
    q = transposed_in(1:size(q), transpose_half)
    transpose_half = 3 - transpose_half
  end subroutine transpose_result
end module cg_grid

module cg_solver
  use cg_problem, only: dp
  use cg_matrix, only: sparse_block, multiply
  use cg_grid, only: sum_over_row, transpose_result
  implicit none (type, external)
  private
  public :: solver

  integer, parameter :: cg_steps = 25

  type :: solver
    type(sparse_block) :: matrix
    real(dp), allocatable :: p(:), q(:), r(:) ! cut along the columns
    real(dp), allocatable :: w(:)             ! cut along the rows
  contains
    procedure :: prepare
    procedure :: solve
    procedure :: power_step
    procedure, private :: product
  end type solver

contains

  subroutine prepare(s, rows, cols)
    class(solver), intent(inout) :: s
    integer, intent(in) :: rows, cols

    allocate (s%p(cols), s%q(cols), s%r(cols), s%w(rows))
  end subroutine prepare

  ! Eight partial sums: what the vector unit can add at the same time.
  pure real(dp) function dot(x, y)
    real(dp), contiguous, intent(in) :: x(:), y(:)
    real(dp) :: s(8)
    integer :: i, last

    s = 0.0_dp
    last = size(x) - mod(size(x), 8)
    do i = 1, last, 8
      s = s + x(i:i + 7) * y(i:i + 7)
    end do
    do i = last + 1, size(x)
      s(1) = s(1) + x(i) * y(i)
    end do
    dot = sum(s)
  end function dot

  ! q = A p
  subroutine product(s, p)
    class(solver), intent(inout) :: s
    real(dp), contiguous, intent(in) :: p(:)

    call multiply(s%matrix, p, s%w)
    call sum_over_row(s%w)
    call transpose_result(s%w, s%q)
  end subroutine product

  ! z ~ A**-1 x; residual is the norm of x - A z.
  subroutine solve(s, x, z, residual)
    class(solver), intent(inout) :: s
    real(dp), contiguous, intent(in) :: x(:)
    real(dp), contiguous, intent(out) :: z(:)
    real(dp), intent(out) :: residual
    real(dp) :: rho, rho_before, alpha, curvature
    integer :: step

    z = 0.0_dp
    s%r = x
    s%p = x
    rho = dot(s%r, s%r)
    call sum_over_row(rho)
    do step = 1, cg_steps
      call s%product(s%p)
      curvature = dot(s%p, s%q)
      call sum_over_row(curvature)
      alpha = rho / curvature
      z = z + alpha * s%p
      s%r = s%r - alpha * s%q
      rho_before = rho
      rho = dot(s%r, s%r)
      call sum_over_row(rho)
      s%p = s%r + (rho / rho_before) * s%p
    end do
    call s%product(z)
    s%r = x - s%q
    residual = dot(s%r, s%r)
    call sum_over_row(residual)
    residual = sqrt(residual)
  end subroutine solve

  ! One step of the inverse power iteration: x becomes z / |z|.
  subroutine power_step(s, shift, x, z, zeta, residual)
    class(solver), intent(inout) :: s
    real(dp), intent(in) :: shift
    real(dp), contiguous, intent(inout) :: x(:)
    real(dp), contiguous, intent(out) :: z(:)
    real(dp), intent(out) :: zeta, residual
    real(dp) :: xz, zz

    call s%solve(x, z, residual)
    xz = dot(x, z)
    zz = dot(z, z)
    call sum_over_row(xz, zz)
    zeta = shift + 1.0_dp / xz
    x = (1.0_dp / sqrt(zz)) * z
  end subroutine power_step
end module cg_solver

program npb_cg
  use, intrinsic :: iso_fortran_env, only: int64
  use cg_problem, only: dp, problem, find_problem
  use cg_matrix, only: build_block
  use cg_grid, only: setup_grid, first_row, last_row, first_col, last_col
  use cg_solver, only: solver
  implicit none (type, external)

  real(dp), parameter :: tolerance = 1.0e-10_dp
  type(problem) :: prob
  type(solver) :: cg
  real(dp), allocatable :: x(:), z(:)
  real(dp) :: zeta, residual, seconds, error
  integer(int64) :: clock_start, clock_end, clock_rate
  integer :: grid_rows, grid_cols, iteration
  character(len=16) :: argument
  logical :: found, verified

  argument = 'A'
  if (command_argument_count() > 0) call get_command_argument(1, argument)
  call find_problem(trim(argument), found, prob)
  if (.not. found) call refuse('npb_cg: class "'//trim(argument)//'" is not one of S, W, A, B')
  if (popcnt(num_images()) /= 1) call refuse('npb_cg: the number of images is not a power of two')

  call setup_grid(prob%n, grid_rows, grid_cols)
  if (this_image() == 1) then
    print '(a)', 'NAS Parallel Benchmarks CG, coarray Fortran'
    print '(a,a,a,i0)', ' class ', prob%name, ', order ', prob%n
    print '(a,i0,a,i0,a,i0)', ' images ', num_images(), ', grid ', grid_rows, ' x ', grid_cols
  end if
  call build_block(prob, first_row, last_row, first_col, last_col, cg%matrix)
  call cg%prepare(last_row - first_row + 1, last_col - first_col + 1)
  allocate (x(last_col - first_col + 1), z(last_col - first_col + 1))

  ! One step touches all data; then everything starts again under the clock.
  x = 1.0_dp
  call cg%power_step(prob%shift, x, z, zeta, residual)
  x = 1.0_dp
  sync all
  call system_clock(clock_start, clock_rate)
  if (this_image() == 1) print '(/,a)', '  iteration        ||r||                  zeta'
  do iteration = 1, prob%iterations
    call cg%power_step(prob%shift, x, z, zeta, residual)
    if (this_image() == 1) print '(i8,4x,es22.14,f22.13)', iteration, residual, zeta
  end do
  call system_clock(clock_end)
  seconds = real(clock_end - clock_start, dp) / real(clock_rate, dp)
  call co_max(seconds)

  error = abs(zeta - prob%zeta) / prob%zeta
  verified = error <= tolerance ! false for NaN as well
  if (this_image() == 1) call report()
  sync all
  if (.not. verified) error stop 1

contains

  ! Image 1 speaks for all; the others are ended by its error termination.
  subroutine refuse(text)
    character(len=*), intent(in) :: text

    if (this_image() == 1) error stop text
    sync all
  end subroutine refuse

  subroutine report()
    real(dp) :: products, operations

    ! The count of the specification, not of what was executed.
    products = real(prob%nonzer * (prob%nonzer + 1), dp)
    operations = 2.0_dp * prob%iterations * prob%n &
        * (3.0_dp + products + 25.0_dp * (5.0_dp + products) + 3.0_dp)
    print '(/,a)', ' CG benchmark completed'
    print '(a,a)', ' Class           = ', prob%name
    print '(a,i0)', ' Size            = ', prob%n
    print '(a,i0)', ' Iterations      = ', prob%iterations
    print '(a,i0)', ' Images          = ', num_images()
    print '(a,f0.13)', ' Zeta            = ', zeta
    print '(a,f0.13)', ' Reference zeta  = ', prob%zeta
    print '(a,es9.2)', ' Relative error  = ', error
    print '(a,f0.3)', ' Time in seconds = ', seconds
    print '(a,f0.2)', ' Mop/s total     = ', operations / seconds * 1.0e-6_dp
    if (verified) then
      print '(a)', ' VERIFICATION SUCCESSFUL'
    else
      print '(a)', ' VERIFICATION FAILED'
    end if
  end subroutine report
end program npb_cg
