!> Coarrays of BLOCK constructs: saved ones keep their values, allocatable ones are deallocated at the end of the block.
! Not with gfortran 15 and later: saved coarrays of blocks crash it.
program blocks
  use checks
  implicit none
  integer :: me, next, k, before

  me = this_image(); next = right_of(me)
  do k = 1, 10
    block
      integer, save :: kept[*] = 100
      integer, allocatable :: local(:)[:]
      call require(.not. allocated(local), 'unallocated at the start')
      allocate (local(k)[*])
      local = k * me
      before = kept
      sync all
      call require_equal(local(k)[next], k * next, 'allocatable')
      call require_equal(kept[next], 99 + k, 'saved')
      sync all
      kept = before + 1
      block
        real, save :: inner(2)[*] = 0.5
        inner(1)[next] = k
        sync all
        call require(inner(1) == k .and. inner(2) == 0.5, 'block in a block')
      end block
      if (mod(k, 3) == 0) cycle
      sync all
    end block
  end do
end program
