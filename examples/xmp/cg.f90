! The NAS benchmark CG in XcalableMP: the smallest eigenvalue of a sparse matrix, by conjugate gradients.
!
!     xmpf90 -O3 cg.f90 -o cg && xmprun -n 4 ./cg
!
! The sizes are those of class S. A Fortran compiler that knows nothing of XcalableMP compiles the same file to a serial program.
module matrix
  implicit none
  integer, parameter :: long = selected_int_kind(18), double = kind(1d0)
  ! Class W: 7000, 8, 12, 10.362595087124; class A: 14000, 11, 20, 17.130235054029.
  integer, parameter :: n = 1400, nonzer = 7, steps = 15
  real(double), parameter :: shift = 10, right_zeta = 8.5971775078648d0

  ! Rows in blocks over the nodes; the vectors are divided in the same way.
  !$xmp nodes p(*)
  !$xmp template rows(n)
  !$xmp distribute rows(block) onto p
  real(double) :: x(n), z(n), r(n), q(n), direction(n)
  !$xmp align (i) with rows(i) :: x, z, r, q, direction
  ! A full shadow: each node has room for the whole vector, because a row of the matrix refers to elements everywhere.
  !$xmp shadow direction(*)

  ! The matrix: row j is elements start(j) to start(j + 1) - 1. Each node makes its rows only.
  integer :: start(n + 1)
  integer, allocatable :: column(:)
  real(double), allocatable :: values(:)

  ! The generating vectors: vector i has length(i) elements. They are few, so each node makes all of them.
  integer :: length(n), place(nonzer + 1, n)
  real(double) :: element(nonzer + 1, n)
  integer(long) :: state = 314159265
contains
  ! The generator of the benchmark: s <- 5**13 s mod 2**46.
  integer(long) function next()
    integer(long), parameter :: half = 2_long**23, factor = 5_long**13
    next = mod(mod(state/half*factor, half)*half + mod(state, half)*factor, half*half)
    state = next
  end function

  subroutine generate()
    integer :: bits, i, k, own, at
    integer(long) :: ignored
    real(double) :: random
    bits = 0
    do while (2**bits < n)
      bits = bits + 1
    end do
    ignored = next()
    do i = 1, n
      k = 0
      do while (k < nonzer)
        random = scale(real(next(), double), -46)
        at = int(next()/2_long**(46 - bits)) + 1
        if (at > n .or. any(place(:k, i) == at)) cycle
        k = k + 1
        place(k, i) = at
        element(k, i) = random
      end do
      own = findloc(place(:k, i), i, 1)
      if (own == 0) then
        k = k + 1
        own = k
      end if
      place(own, i) = i
      element(own, i) = 0.5d0
      length(i) = k
    end do
  end subroutine

  ! Makes the rows of this node: row j of the sum of weight(i) v(i) v(i)^T, with the shifted diagonal.
  subroutine make_matrix()
    integer, allocatable :: users(:, :), count(:)
    real(double) :: weight(n), sums(n)
    logical :: has(n)
    integer :: i, j, k, user, own, last, most
    call generate()
    allocate(count(n), source=0)
    weight(1) = 1
    do i = 2, n
      weight(i) = weight(i - 1)*0.1d0**(1d0/n)
    end do
    do i = 1, n
      do k = 1, length(i)
        count(place(k, i)) = count(place(k, i)) + 1
      end do
    end do
    allocate(users(maxval(count), n))
    count = 0
    do i = 1, n
      do k = 1, length(i)
        j = place(k, i)
        count(j) = count(j) + 1
        users(count(j), j) = i
      end do
    end do
    ! Indices are those of the whole matrix: a node executes the iterations of its rows.
    most = 0
    !$xmp loop (j) on rows(j)
    do j = 1, n
      most = most + count(j)*(nonzer + 1)
    end do
    allocate(column(most), values(most))
    last = 0
    sums = 0
    has = .false.
    !$xmp loop (j) on rows(j)
    do j = 1, n
      start(j) = last + 1
      do user = 1, count(j)
        i = users(user, j)
        own = findloc(place(:length(i), i), j, 1)
        do k = 1, length(i)
          has(place(k, i)) = .true.
          sums(place(k, i)) = sums(place(k, i)) + element(own, i)*(weight(i)*element(k, i))
        end do
      end do
      sums(j) = sums(j) + 0.1d0 - shift
      do k = 1, n
        if (.not. has(k)) cycle
        last = last + 1
        column(last) = k
        values(last) = sums(k)
        sums(k) = 0
        has(k) = .false.
      end do
      start(j + 1) = last + 1
    end do
  end subroutine

  ! q = A direction. `reflect` fills the full shadow: it gathers the vector on each node.
  subroutine multiply()
    integer :: j
    !$xmp reflect (direction)
    !$xmp loop (j) on rows(j)
    do j = 1, n
      q(j) = dot_product(values(start(j):start(j + 1) - 1), direction(column(start(j):start(j + 1) - 1)))
    end do
  end subroutine

  ! z ~ A**-1 x by 25 steps; returns the norm of x - A z.
  real(double) function solve()
    real(double) :: rho, before, product, alpha, square
    integer :: j, step
    rho = 0
    !$xmp loop (j) on rows(j) reduction(+: rho)
    do j = 1, n
      z(j) = 0
      r(j) = x(j)
      direction(j) = x(j)
      rho = rho + r(j)**2
    end do
    do step = 1, 25
      call multiply()
      ! The clause has each node's sum added up, and all nodes get the total.
      product = 0
      !$xmp loop (j) on rows(j) reduction(+: product)
      do j = 1, n
        product = product + direction(j)*q(j)
      end do
      alpha = rho/product
      before = rho
      rho = 0
      !$xmp loop (j) on rows(j) reduction(+: rho)
      do j = 1, n
        z(j) = z(j) + alpha*direction(j)
        r(j) = r(j) - alpha*q(j)
        rho = rho + r(j)**2
      end do
      !$xmp loop (j) on rows(j)
      do j = 1, n
        direction(j) = r(j) + rho/before*direction(j)
      end do
    end do
    !$xmp loop (j) on rows(j)
    do j = 1, n
      direction(j) = z(j)
    end do
    call multiply()
    square = 0
    !$xmp loop (j) on rows(j) reduction(+: square)
    do j = 1, n
      square = square + (x(j) - q(j))**2
    end do
    solve = sqrt(square)
  end function
end module

program cg
  use matrix
  implicit none
  real(double) :: zeta, residual, product, square, error
  integer :: j, step
  call make_matrix()
  !$xmp loop (j) on rows(j)
  do j = 1, n
    x(j) = 1
  end do
  do step = 1, steps
    residual = solve()
    product = 0
    square = 0
    !$xmp loop (j) on rows(j) reduction(+: product, square)
    do j = 1, n
      product = product + x(j)*z(j)
      square = square + z(j)**2
    end do
    zeta = shift + 1/product
    !$xmp loop (j) on rows(j)
    do j = 1, n
      x(j) = z(j)/sqrt(square)
    end do
  end do
  error = abs(zeta - right_zeta)/right_zeta
  !$xmp task on p(1)
  print '(a, i0, a, f0.13, a, es8.1, a, es8.1, 2a)', 'order ', n, ': zeta ', zeta, ', residual ', residual, ', error ', error, &
    ': ', merge('PASS', 'FAIL', error < 1d-10)
  !$xmp end task
  if (error >= 1d-10) stop 1
end program
