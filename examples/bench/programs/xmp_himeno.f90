!> Himeno with coarrays, translated by the Omni XcalableMP compiler: planes are put where they belong. See
!> himeno_rows.f90.
module himeno_data
  implicit none
  integer, parameter :: nx = 128, ny = 64, most = 31
  real(4) :: field(nx, ny, 0:most + 1, 2)[*]
  integer :: shared(1024)[*]
  real(4) :: a(nx, ny, most, 4), b(nx, ny, most, 3), c(nx, ny, most, 3)
  real(4) :: source(nx, ny, most), bound(nx, ny, most)
  real(8) :: sums(1), results(1)
end module himeno_data

program xmp_himeno
  use himeno_data
  implicit none
  integer :: me, images

  me = this_image()
  images = num_images()
  call himeno_rows(me, images)
  sync all
end program xmp_himeno

!> The value of image 1 for all.
subroutine himeno_share(n)
  use himeno_data
  implicit none
  integer, intent(inout) :: n
  integer :: image

  if (this_image() == 1) then
    do image = 1, num_images()
      shared(1)[image] = n
    end do
  end if
  sync all
  n = shared(1)
  sync all
end subroutine himeno_share

!> `n` sweeps from the start; with `overlap` planes travel while the inner ones are swept. gosa is that of the last one.
subroutine himeno_sweeps(overlap, n, gosa)
  use himeno_data
  implicit none
  integer, intent(in) :: overlap, n
  real(8), intent(out) :: gosa
  integer :: me, images, first, last, planes, below, sweep, old

  me = this_image()
  images = num_images()
  call himeno_part(me, images, first, last)
  planes = last - first + 1
  call himeno_part(max(me - 1, 1), images, first, last)
  below = last - first + 1
  call himeno_part(me, images, first, last)
  call himeno_start(first, planes, field, a, b, c, source, bound)
  sync all
  old = 1
  do sweep = 1, n
    sums(1) = 0
    if (overlap == 0) then
      call himeno_planes(1, planes, old, field, a, b, c, source, bound, sums(1))
      call put_planes(me, images, planes, below, 3 - old)
    else
      call himeno_planes(1, 1, old, field, a, b, c, source, bound, sums(1))
      if (planes > 1) call himeno_planes(planes, planes, old, field, a, b, c, source, bound, sums(1))
      call put_planes(me, images, planes, below, 3 - old)
      call himeno_planes(2, planes - 1, old, field, a, b, c, source, bound, sums(1))
    end if
    call sync_neighbours(me, images)
    old = 3 - old
    call co_sum(sums(1), results(1))
  end do
  gosa = results(1)
  sync all
end subroutine himeno_sweeps

!> The outer planes to both neighbours; the lower one has `below` planes.
subroutine put_planes(me, images, planes, below, copy)
  use himeno_data
  implicit none
  integer, intent(in) :: me, images, planes, below, copy

  if (me > 1) field(1:nx, 1:ny, below + 1, copy)[me - 1] = field(1:nx, 1:ny, 1, copy)
  if (me < images) field(1:nx, 1:ny, 0, copy)[me + 1] = field(1:nx, 1:ny, planes, copy)
end subroutine put_planes

!> In an order in which no image waits for a neighbour that itself waits for another one.
subroutine sync_neighbours(me, images)
  implicit none
  integer, intent(in) :: me, images

  if (mod(me, 2) == 1) then
    if (me < images) sync images (me + 1)
    if (me > 1) sync images (me - 1)
  else
    if (me > 1) sync images (me - 1)
    if (me < images) sync images (me + 1)
  end if
end subroutine sync_neighbours
