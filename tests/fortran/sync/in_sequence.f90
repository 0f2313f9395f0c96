!> ALLOCATE, SYNC ALL, SYNC ALL and DEALLOCATE in a row: each of them orders what only it can order, whichever image is late.
program in_sequence
  use checks
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, parameter :: n = 300
  integer, allocatable :: buffer(:)[:]
  integer :: other[*], me, late, next, step
  me = this_image(); next = right_of(me)
  other = 0
  sync all
  do step = 1, 4*num_images()
    late = mod(step, num_images()) + 1
    ! A put before ALLOCATE, and a load of this image after it.
    call wait_if(me == late)
    other[next] = 10*step
    allocate (buffer(n)[*])
    call require_equal(other, 10*step, 'put before allocate')
    ! A store after ALLOCATE, and a get after SYNC ALL.
    call wait_if(me == late)
    buffer = 100*step + me
    other = -step
    sync all
    call require(all(buffer(:)[next] == 100*step + next), 'store after allocate')
    call require_equal(other[next], -step, 'store before sync all')
    sync all
    ! Puts before SYNC ALL, and loads after it.
    call wait_if(me == late)
    buffer(2:n - 1)[next] = -me
    sync all
    call require(all(buffer(2:n - 1) == -left_of(me)), 'put before sync all')
    call require(buffer(1) == 100*step + me .and. buffer(n) == buffer(1), 'ends')
    ! Puts before DEALLOCATE, and loads of another variable after it.
    call wait_if(me == late)
    other[next] = 10*step + 1
    deallocate (buffer)
    call require_equal(other, 10*step + 1, 'put before deallocate')
    sync all
  end do
contains
  subroutine wait_if(is_late)
    logical, intent(in) :: is_late
    integer(int64) :: now, start, rate
    if (.not. is_late) return
    call system_clock(start, rate)
    do
      call system_clock(now)
      if (now - start > rate/2000) exit
    end do
  end subroutine
end program
