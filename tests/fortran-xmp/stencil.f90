! A stencil in two dimensions, distributed in one and in both, with shadows of several widths, against a serial one.
program stencil
  implicit none
  integer, parameter :: rows = 29, columns = 31, steps = 12
  real(8) :: u(rows, columns), w(rows, columns)
  real :: v(0:rows - 1, columns)
  real(8) :: serial_u(rows, columns), serial_w(rows, columns), error, total
  integer :: i, j, step, place(2)
  !$xmp nodes p(*)
  !$xmp nodes q(1, *)
  !$xmp template t(rows, columns)
  !$xmp template s(0:rows - 1, columns)
  !$xmp distribute t(block, block) onto q
  !$xmp distribute s(block, *) onto p
  !$xmp align (i, j) with t(i, j) :: u, w
  !$xmp align v(i, *) with s(i, *)
  !$xmp shadow w(1, 1:2)
  !$xmp shadow v(2:1, 0)

  do j = 1, columns
    do i = 1, rows
      serial_u(i, j) = start(i, j)
    end do
  end do
  !$xmp loop (i, j) on t(i, j)
  do j = 1, columns
    do i = 1, rows
      u(i, j) = start(i, j)
    end do
  end do

  do step = 1, steps
    serial_w = serial_u
    do j = 2, columns - 2
      do i = 2, rows - 1
        serial_u(i, j) = (serial_w(i - 1, j) + serial_w(i + 1, j) + serial_w(i, j - 1) + serial_w(i, j + 2))/4
      end do
    end do
    !$omp parallel do private(i)
    !$xmp loop on t(i, j)
    do j = 1, columns
      do i = rows, 1, -1
        w(i, j) = u(i, j)
      end do
    end do
    !$omp end parallel do
    !$xmp reflect (w)
    !$xmp loop (i, j) on t(i, j)
    !$omp parallel do private(i)
    do j = 2, columns - 2
      do i = 2, rows - 1
        u(i, j) = (w(i - 1, j) + w(i + 1, j) + w(i, j - 1) + w(i, j + 2))/4
      end do
    end do
  end do

  error = 0
  total = 100
  !$xmp loop (i, j) on t(i, j) reduction(max: error) &
  !$xmp   reduction(+: total)
  do j = 1, columns
    do i = 1, rows
      error = max(error, abs(u(i, j) - serial_u(i, j)))
      total = total + u(i, j)
    end do
  end do
  call require(error == 0, 'the stencil')
  call require(abs(total - 100 - sum(serial_u)) < 1e-9, 'the sum')

  error = -1
  place = 0
  !$xmp loop (i, j) on t(i, j) reduction(firstmax: error /i, j/)
  do j = 1, columns
    do 10 i = 1, rows
      if (u(i, j) > error) then
        error = u(i, j)
        place = [i, j]
      end if
10  continue
  end do
  call require(error == maxval(serial_u), 'the largest value')

  ! One dimension with an array that begins at 0, steps other than 1, expanded loops, a periodic shadow.
  !$xmp loop on s(i, *)
  do i = 0, rows - 1
    v(i, :) = 0
  end do
  !$xmp loop on s(i, *)
  do i = 1, rows - 1, 3
    v(i, :) = i
  end do
  !$xmp reflect (v) width(/periodic/2:1, 0)
  !$xmp loop on s(i, *) expand(2:1, 0)
  do i = 0, rows - 1
    call require(v(i, 3) == merge(i, 0, mod(i, 3) == 1), 'steps of 3 and the shadow')
  end do
  !$xmp loop on s(i, *)
  do i = rows - 1, 0, -2
    v(i, :) = -i
  end do
  !$xmp loop on s(i, *)
  do i = 0, rows - 1
    if (mod(rows - 1 - i, 2) == 0) call require(v(i, 1) == -i, 'steps of -2')
  end do
  call check_periodic()
  call check_corners(.false., 0)
  call check_corners(.true., 4*((columns + block() - 1)/block()))

contains

  real(8) function start(i, j)
    integer, intent(in) :: i, j
    start = 1d0/(1 + 3*i + j) + mod(i, 5)
  end function

  subroutine check_periodic()
    integer :: i
    !$xmp loop on s(i, *)
    do i = 0, rows - 1
      v(i, :) = i
    end do
    !$xmp reflect (v) width(/periodic/2:1, 0)
    !$xmp loop on s(i, *) expand(/unbound/2:1, 0)
    do i = 0, rows - 1
      call require(v(i, 2) == modulo(i, rows), 'the periodic shadow')
    end do
  end subroutine

  ! The columns of a node.
  integer function block()
    block = (columns + num_images() - 1)/num_images()
  end function

  ! How many elements beside those of each node diagonally have no value of a neighbour after a reflect.
  subroutine check_corners(is_orthogonal, expected)
    logical, intent(in) :: is_orthogonal
    integer, intent(in) :: expected
    integer :: i, j, unset
    !$xmp loop (i, j) on t(i, j) expand(/unbound/1, /unbound/1:2)
    do j = 1, columns
      do i = 1, rows
        w(i, j) = 7
      end do
    end do
    !$xmp loop (i, j) on t(i, j)
    do j = 1, columns
      do i = 1, rows
        w(i, j) = 1
      end do
    end do
    if (is_orthogonal) then
      !$xmp reflect (w) width(/periodic/1, /periodic/1:2) orthogonal
    else
      !$xmp reflect (w) width(/periodic/1, /periodic/1:2)
    end if
    unset = 0
    !$xmp loop (i, j) on t(i, j) reduction(+: unset)
    do j = 1, columns
      do i = 1, rows
        call require(all([w(i - 1, j), w(i + 1, j), w(i, j - 1), w(i, j + 1)] == 1), 'the orthogonal shadow')
        unset = unset + count([w(i - 1, j - 1), w(i - 1, j + 1), w(i + 1, j - 1), w(i + 1, j + 1)] == 7)
      end do
    end do
    call require(unset == expected, 'the corners')
  end subroutine

  subroutine require(is_so, what)
    logical, intent(in) :: is_so
    character(*), intent(in) :: what
    if (is_so) return
    print '(a,i0,2a)', 'image ', this_image(), ': not so: ', what
    error stop 1
  end subroutine
end program
