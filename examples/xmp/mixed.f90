! Global view, local view and teams in one program: a rod whose heat XcalableMP distributes, a ring of cells that the program
! divides by itself with coarrays of Fortran, and a sum over a team of images.
!
!     xmpf90 -O3 mixed.f90 -o mixed && xmprun -n 4 ./mixed
program mixed
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  integer, parameter :: points = 240, cells = 60, steps = 40, double = kind(1d0)
  real(double), parameter :: pi = acos(-1d0)
  real(double) :: rod_angle, ring_angle, error, total, part
  integer :: me, images, half, i, step
  type(team_type) :: halves
  logical :: is_right

  !$xmp nodes p(*)

  ! Global view: the rod is one array. Directives say which node has which points, and that a point needs its neighbours.
  !$xmp template t(0:points - 1)
  !$xmp distribute t(block) onto p
  real(double) :: rod(0:points - 1), next_rod(0:points - 1)
  !$xmp align (i) with t(i) :: rod, next_rod
  !$xmp shadow rod(1)

  ! Local view: each image has the cells 1 to `cells` of its part of the ring, and one of either neighbour beside them.
  real(double) :: ring(0:cells + 1)[*], next_ring(cells)

  me = this_image()
  images = num_images()
  half = (images + 1)/2
  rod_angle = pi/(points - 1)
  ring_angle = 2*pi/(images*cells)

  ! Waves, of which each step leaves a known part.
  !$xmp loop (i) on t(i)
  do i = 0, points - 1
    rod(i) = sin(i*rod_angle)
  end do
  do i = 1, cells
    ring(i) = 1 + sin(((me - 1)*cells + i)*ring_angle)
  end do

  do step = 1, steps
    ! Each point becomes the mean of its neighbours. The shadow is filled by the nodes that have the points.
    !$xmp reflect (rod)
    !$xmp loop (i) on t(i)
    do i = 1, points - 2
      next_rod(i) = (rod(i - 1) + rod(i + 1))/2
    end do
    !$xmp loop (i) on t(i)
    do i = 1, points - 2
      rod(i) = next_rod(i)
    end do
    ! The same of the ring. An image puts its outer cells into its neighbours: image indices stand in square brackets.
    ring(cells + 1)[modulo(me - 2, images) + 1] = ring(1)
    ring(0)[modulo(me, images) + 1] = ring(cells)
    ! All puts have arrived.
    sync all
    next_ring = (ring(:cells - 1) + ring(2:))/2
    ring(1:cells) = next_ring
    ! All images have read what was put.
    sync all
  end do

  error = 0
  !$xmp loop (i) on t(i) reduction(max: error)
  do i = 0, points - 1
    error = max(error, abs(rod(i) - cos(rod_angle)**steps*sin(i*rod_angle)))
  end do
  do i = 1, cells
    error = max(error, abs(ring(i) - 1 - cos(ring_angle)**steps*sin(((me - 1)*cells + i)*ring_angle)))
  end do
  total = sum(ring(1:cells))
  part = total

  ! Of all nodes by a directive; of the team of the first half of the images by a collective subroutine.
  !$xmp reduction(+: total)
  !$xmp reduction(max: error)
  form team (merge(1, 2, me <= half), halves)
  change team (halves)
    call co_sum(part)
  end team

  is_right = error < 1d-12 .and. abs(total - images*cells) < 1d-9
  !$xmp task on p(1)
  print '(i0, a, f0.3, a, i0, a, f0.3, a, es8.1, 2a)', images, ' images: heat of the ring ', total, ', of the first ', half, &
    ' images ', part, ', largest error ', error, ': ', merge('PASS', 'FAIL', is_right)
  !$xmp end task
  if (.not. is_right) stop 1
end program
