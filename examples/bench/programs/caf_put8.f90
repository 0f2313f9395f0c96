!> `caf_put8 COUNT`: COUNT 8-byte puts from image 1 to the last image, for an instruction counter.
program caf_put8
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  !> One page: see `page` in caf_timing.f90.
  real(real64), save :: word(512)[*]
  character(len=32) :: text
  integer :: i, count, target_image

  call get_command_argument(1, text)
  read (text, *) count
  target_image = num_images()
  word = 0
  sync all
  if (this_image() == 1) then
    do i = 1, count
      word(1)[target_image] = real(i, real64)
    end do
  end if
  sync all
  if (this_image() == target_image .and. word(1) /= count) error stop 'caf_put8: the last put did not arrive'
end program caf_put8
