! The heat equation u_t = u_xx + u_yy on the unit square with u = 0 on the edge,
! explicit Euler steps, on a grid of any number of images.
!
! The start is a sum of two sine modes. A sine mode is an eigenvector of the
! difference operator too, so the exact result of the explicit scheme is known
! and every point can be checked down to rounding.
!
! Halos across x are put (rows: strided sections), halos across y are fetched
! with get (columns: contiguous). Two copies of the field alternate: an image that
! still reads the old copy is never disturbed by what arrives in the new one.
program heat2d
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none (type, external)
  integer, parameter :: dp = real64
  integer, parameter :: nx = 90, ny = 71 ! interior points
  integer, parameter :: steps = 600, report_every = 150
  real(dp), parameter :: pi = 3.14159265358979324_dp
  real(dp), parameter :: hx = 1.0_dp / (nx + 1), hy = 1.0_dp / (ny + 1)
  real(dp), parameter :: dt = 0.24_dp * min(hx, hy)**2 ! stable below 0.25
  real(dp), parameter :: tolerance = 1.0e-12_dp

  real(dp), allocatable :: u(:, :, :)[:] ! x, y, copy
  integer :: parts_x, parts_y, part_x, part_y
  integer :: mx, my, left, right, below, above ! points here; neighbours, 0 at the edge
  integer :: i, j, step, old, new
  real(dp) :: change, largest, norm, error, here

  call decompose()
  allocate (u(0:nx / parts_x + 2, 0:ny / parts_y + 2, 2)[*])
  u = 0.0_dp
  do j = 1, my
    do i = 1, mx
      u(i, j, 1) = exact(i, j, 0)
    end do
  end do
  old = 1
  new = 2
  sync all
  call exchange(old)

  do step = 1, steps
    largest = 0.0_dp
    norm = 0.0_dp
    do j = 1, my
      do i = 1, mx
        change = dt * ((u(i - 1, j, old) - 2 * u(i, j, old) + u(i + 1, j, old)) / hx**2 &
            + (u(i, j - 1, old) - 2 * u(i, j, old) + u(i, j + 1, old)) / hy**2)
        u(i, j, new) = u(i, j, old) + change
        largest = max(largest, abs(change))
        norm = norm + change**2
      end do
    end do
    call exchange(new)
    old = new
    new = 3 - new
    if (mod(step, report_every) == 0) then
      here = largest
      call co_max(largest)
      call co_sum(norm)
      if (largest < here) error stop 'heat2d: co_max is less than this image''s value'
      if (norm < largest**2) error stop 'heat2d: the norm by co_sum is less than the largest change'
      if (this_image() == 1) print '(a,i5,a,es10.3,a,es10.3)', &
          'step ', step, '  largest change ', largest, '  norm of the change ', sqrt(norm)
    end if
  end do

  error = 0.0_dp
  do j = 1, my
    do i = 1, mx
      error = max(error, abs(u(i, j, old) - exact(i, j, steps)))
    end do
  end do
  call co_max(error)
  if (this_image() == 1) then
    print '(a,i0,a,i0,a,i0,a,i0)', 'grid ', nx, ' x ', ny, ' on images ', parts_x, ' x ', parts_y
    print '(a,es9.2)', 'largest error against the exact result ', error
    if (.not. error <= tolerance) error stop 'heat2d: the result is wrong'
    print '(a)', 'PASS'
  end if
  sync all

contains

  ! The most square grid of images, and this image's place in it.
  subroutine decompose()
    parts_x = int(sqrt(real(num_images()) + 0.5))
    do while (mod(num_images(), parts_x) /= 0)
      parts_x = parts_x - 1
    end do
    parts_y = num_images() / parts_x
    if (parts_x > nx .or. parts_y > ny) error stop 'heat2d: more images than points on a side'
    part_x = mod(this_image() - 1, parts_x)
    part_y = (this_image() - 1) / parts_x
    mx = part_size(nx, part_x, parts_x)
    my = part_size(ny, part_y, parts_y)
    left = merge(this_image() - 1, 0, part_x > 0)
    right = merge(this_image() + 1, 0, part_x < parts_x - 1)
    below = merge(this_image() - parts_x, 0, part_y > 0)
    above = merge(this_image() + parts_x, 0, part_y < parts_y - 1)
  end subroutine decompose

  ! Part k of n points, k from 0, is the points n*k/parts + 1 .. n*(k+1)/parts.
  pure integer function part_size(n, k, parts)
    integer, intent(in) :: n, k, parts

    part_size = n * (k + 1) / parts - n * k / parts
  end function part_size

  ! One sync: what this image puts is there after it, what it gets is ready. The
  ! next copy that is written is the other one, so the gets need no second sync.
  subroutine exchange(copy)
    integer, intent(in) :: copy
    integer :: last

    if (left > 0) then
      last = part_size(nx, part_x - 1, parts_x)
      u(last + 1, 1:my, copy)[left] = u(1, 1:my, copy)
    end if
    if (right > 0) u(0, 1:my, copy)[right] = u(mx, 1:my, copy)
    call sync_neighbours()
    if (below > 0) then
      last = part_size(ny, part_y - 1, parts_y)
      u(1:mx, 0, copy) = u(1:mx, last, copy)[below]
    end if
    if (above > 0) u(1:mx, my + 1, copy) = u(1:mx, 1, copy)[above]
  end subroutine exchange

  subroutine sync_neighbours()
    integer :: neighbours(4)

    neighbours = [left, right, below, above]
    sync images (pack(neighbours, neighbours > 0))
  end subroutine sync_neighbours

  ! The explicit scheme's own solution at a local point after some steps.
  pure real(dp) function exact(i, j, steps_done)
    integer, intent(in) :: i, j, steps_done
    real(dp) :: x, y

    x = hx * (i + nx * part_x / parts_x)
    y = hy * (j + ny * part_y / parts_y)
    exact = growth(1, 1)**steps_done * sin(pi * x) * sin(pi * y) &
        + growth(3, 2)**steps_done * sin(3 * pi * x) * sin(2 * pi * y)
  end function exact

  ! The factor by which one step multiplies the mode (kx, ky).
  pure real(dp) function growth(kx, ky)
    integer, intent(in) :: kx, ky

    growth = 1.0_dp - 4 * dt * ((sin(kx * pi * hx / 2) / hx)**2 + (sin(ky * pi * hy / 2) / hy)**2)
  end function growth
end program heat2d
