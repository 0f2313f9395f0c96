!> The sweeps with coarrays: the outer planes are written where the neighbours read them.
module himeno_coarrays
  use himeno_air
  use pair_timing, only: images, me
  implicit none

  real :: field(nx, ny, 0:most + 1, 2)[*]
  !> Planes of the image below this one.
  integer :: below

contains

  subroutine start()
    integer :: other

    call himeno_part(max(me - 1, 1), images, other, last)
    below = last - other + 1
    call himeno_part(me, images, first, last)
    planes = last - first + 1
    call himeno_start(first, planes, field, a, b, c, source, bound)
    old = 1
    sync all
  end subroutine start

  subroutine sweeps(n)
    integer, intent(in) :: n
    integer :: i, new
    integer, allocatable :: neighbours(:)

    neighbours = pack([me - 1, me + 1], [me > 1, me < images])
    do i = 1, n
      new = 3 - old
      correction = 0
      call himeno_planes(1, planes, old, field, a, b, c, source, bound, correction)
      if (me > 1) field(:, :, below + 1, new)[me - 1] = field(:, :, 1, new)
      if (me < images) field(:, :, 0, new)[me + 1] = field(:, :, planes, new)
      sync images (neighbours)
      old = new
      call co_sum(correction)
    end do
  end subroutine sweeps

end module himeno_coarrays

program himeno_caf
  use himeno_air, only: measure_sweeps
  use himeno_coarrays, only: start, sweeps
  use pair_timing, only: end_pair, start_pair
  implicit none

  call start_pair()
  call measure_sweeps(sweeps, start)
  call end_pair()
end program himeno_caf
