!> MOVE_ALLOC of coarrays: the new name has the memory, on every image.
program moved
  use checks
  implicit none
  integer, allocatable :: a(:)[:], b(:)[:]
  integer :: me, next, k

  me = this_image(); next = right_of(me)
  do k = 1, 20
    allocate (a(k + 1)[*])
    a = 100 * me + k
    if (mod(k, 2) == 0) then
      if (allocated(b)) deallocate (b)
    end if
    call move_alloc(a, b)
    call require(.not. allocated(a) .and. allocated(b), 'allocated')
    call require(size(b) == k + 1 .and. all(b == 100 * me + k), 'value')
    call require_equal(b(k + 1)[next], 100 * next + k, 'value elsewhere')
    sync all
  end do
end program
