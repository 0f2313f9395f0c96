!> What pair_timing.f90 communicates by, with coarrays.
subroutine pair_start(me, images)
  implicit none
  integer, intent(out) :: me, images

  me = this_image()
  images = num_images()
end subroutine pair_start

subroutine pair_barrier()
  implicit none

  sync all
end subroutine pair_barrier

subroutine pair_share(n)
  implicit none
  integer, intent(inout) :: n

  call co_broadcast(n, 1)
end subroutine pair_share

subroutine pair_total(value)
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  real(real64), intent(inout) :: value

  call co_sum(value)
end subroutine pair_total

subroutine pair_end()
  implicit none
end subroutine pair_end
