!> Laplace, STREAM, EP and CG by directives, in Fortran. A compiler that knows nothing of them makes the sequential program of this
!> file. See kernels.c and xmp_kernels.c.
module xmp_kernels
  use kernels
  implicit none
  !$xmp nodes p(*)

  !$xmp template plane(side, side)
  !$xmp distribute plane(*, block) onto p
  real(c_double) :: now(side, side), next(side, side)
  !$xmp align (*, j) with plane(*, j) :: now, next
  !$xmp shadow now(0, 1)

  !$xmp template line(elements)
  !$xmp distribute line(block) onto p
  real(c_double) :: a(elements), b(elements), c(elements)
  !$xmp align (i) with line(i) :: a, b, c

  !$xmp template batches(0:batch_count - 1)
  !$xmp distribute batches(block) onto p

  !$xmp template rows(order)
  !$xmp distribute rows(block) onto p
  integer :: column(row, order)
  real(c_double) :: values(row, order), r(order), q(order), direction(order)
  !$xmp align (*, i) with rows(i) :: column, values
  !$xmp align (i) with rows(i) :: r, q, direction
  !$xmp shadow direction(*)

  integer(c_int64_t), bind(c) :: ep_count
  real(c_double), bind(c) :: ep_sum, cg_rho
contains
  subroutine laplace() bind(c)
    integer :: i, j

    !$xmp reflect (now)
    !$xmp loop on plane(*, j)
    do j = 2, side - 1
      do i = 2, side - 1
        next(i, j) = (now(i, j - 1) + now(i, j + 1) + now(i - 1, j) + now(i + 1, j))/4
      end do
    end do
    !$xmp loop on plane(*, j)
    do j = 2, side - 1
      do i = 2, side - 1
        now(i, j) = next(i, j)
      end do
    end do
  end subroutine laplace

  subroutine triad() bind(c)
    integer :: i

    !$xmp loop on line(i)
    do i = 1, elements
      a(i) = b(i) + 3*c(i)
    end do
    !$xmp barrier
  end subroutine triad

  subroutine ep() bind(c)
    integer :: batch
    integer(c_int64_t) :: count
    real(c_double) :: sum

    count = 0
    sum = 0
    !$xmp loop on batches(batch) reduction(+: count, sum)
    do batch = 0, batch_count - 1
      call ep_batch(batch, count, sum)
    end do
    ep_count = count
    ep_sum = sum
  end subroutine ep

  subroutine cg() bind(c)
    integer :: i, k
    real(c_double) :: sum, product, rho, length

    !$xmp reflect (direction)
    !$xmp loop on rows(i)
    do i = 1, order
      sum = 0
      do k = 1, row
        sum = sum + values(k, i)*direction(column(k, i))
      end do
      q(i) = sum
    end do
    product = 0
    !$xmp loop on rows(i) reduction(+: product)
    do i = 1, order
      product = product + direction(i)*q(i)
    end do
    rho = 0
    !$xmp loop on rows(i) reduction(+: rho)
    do i = 1, order
      r(i) = q(i)/product
      rho = rho + r(i)*r(i)
    end do
    length = sqrt(rho)
    !$xmp loop on rows(i)
    do i = 1, order
      direction(i) = r(i)/length
    end do
    cg_rho = rho
  end subroutine cg

  subroutine prepare() bind(c)
    integer :: i, j, k

    !$xmp loop on plane(*, j)
    do j = 1, side
      do i = 1, side
        now(i, j) = i + j - 2
      end do
    end do
    !$xmp loop on line(i)
    do i = 1, elements
      a(i) = -1
      b(i) = i - 1
      c(i) = 2
    end do
    !$xmp loop on rows(i)
    do i = 1, order
      direction(i) = mod(i - 1, 7)
      do k = 1, row
        column(k, i) = cg_column(i - 1, k - 1) + 1
        values(k, i) = cg_value(k - 1)
      end do
    end do
  end subroutine prepare

  integer(c_int) function laplace_is_right() bind(c)
    integer :: i, j

    laplace_is_right = 1
    !$xmp loop on plane(*, j)
    do j = 1, side
      do i = 1, side
        if (now(i, j) /= i + j - 2) laplace_is_right = 0
      end do
    end do
  end function laplace_is_right

  integer(c_int) function triad_is_right() bind(c)
    integer :: i

    triad_is_right = 1
    !$xmp loop on line(i)
    do i = 1, elements
      if (a(i) /= i + 5) triad_is_right = 0
    end do
  end function triad_is_right
end module xmp_kernels
