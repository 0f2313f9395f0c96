!> Events posted to and fro keep two images in step, and order what they put.
program ping_pong
  use checks
  use, intrinsic :: iso_fortran_env, only: event_type
  implicit none
  type(event_type) :: ping[*], pong[*]
  integer :: value[*], me, other, k

  me = this_image()
  value = 0
  sync all
  other = me + merge(1, -1, mod(me, 2) == 1)
  if (other > num_images()) other = me
  do k = 1, 100
    if (mod(me, 2) == 1) then
      value[other] = k
      event post (ping[other])
      if (other == me) event wait (ping)
      if (other == me) event post (pong)
      event wait (pong)
      if (other /= me) call require_equal(value, -k, 'answer')
    else
      event wait (ping)
      call require_equal(value, k, 'question')
      value[other] = -k
      event post (pong[other])
    end if
  end do
end program
