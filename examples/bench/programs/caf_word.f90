!> `caf_word put|get COUNT`: COUNT 8-byte puts to, or gets from, the last image by image 1, for an instruction counter.
program caf_word
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  !> One page: see `page` in caf_timing.f90.
  real(real64), save :: word(512)[*]
  real(real64) :: total
  character(len=32) :: access, text
  integer :: i, count, target_image

  call get_command_argument(1, access)
  call get_command_argument(2, text)
  read (text, *) count
  target_image = num_images()
  word = 1
  total = 0
  sync all
  if (this_image() == 1) then
    select case (access)
    case ('put')
      do i = 1, count
        word(1)[target_image] = real(i, real64)
      end do
    case ('get')
      do i = 1, count
        total = total + word(1)[target_image]
      end do
    case default
      error stop 'caf_word: neither put nor get'
    end select
  end if
  sync all
  if (access == 'put' .and. this_image() == target_image .and. word(1) /= count) &
    error stop 'caf_word: the last put did not arrive'
  if (access == 'get' .and. this_image() == 1 .and. total /= count) error stop 'caf_word: a get went wrong'
end program caf_word
