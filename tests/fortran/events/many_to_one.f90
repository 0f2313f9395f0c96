!> All images post to one image, which waits in several steps and sees what each poster had put.
program many_to_one
  use checks
  use, intrinsic :: iso_fortran_env, only: event_type
  implicit none
  integer, parameter :: rounds = 40
  type(event_type) :: arrived[*], go[*]
  integer, allocatable :: box(:)[:]
  integer :: me, n, k, i

  me = this_image(); n = num_images()
  allocate (box(n)[*])
  box = 0
  sync all
  do k = 1, rounds
    box(me)[1] = k * me
    event post (arrived[1])
    if (me == 1) then
      event wait (arrived, until_count=n)
      do i = 1, n
        call require_equal(box(i), k * i, 'what the poster had put')
      end do
      do i = 1, n
        event post (go[i])
      end do
    end if
    event wait (go)
  end do
end program
