!> The last image reads what the others have behind pointers when they have come to their end already: normal termination
!> synchronises, so all of their memory is still there.
program after_end
  use checks
  use victim
  implicit none
  type box
    integer, pointer :: data(:)
  end type
  type(box), allocatable :: boxes[:]
  integer, allocatable, target :: local(:)
  integer :: me, n, k, got

  me = this_image(); n = num_images()
  allocate (boxes[*], local(1000))
  local = [(1000 * me + k, k = 1, 1000)]
  boxes%data => local
  sync all
  if (me < n) then
    if (modulo(me, 2) == 0) stop
  else
    call nap(150)
    do k = 1, n
      got = boxes[k]%data(17 * k)
      call require(got == 1000 * k + 17 * k, 'something else than the variable of an image that has stopped')
    end do
  end if
end program
