!> Image 2 reaches, in the operation that the argument names, beyond the coarray on image 1.
program out_of_bounds
  use, intrinsic :: iso_fortran_env, only: event_type, lock_type, atomic_int_kind
  implicit none
  integer, parameter :: n = 10
  character(20) :: operation
  integer :: a(n)[*], beside(n)[*], got(n + 5), list(2), low, high
  integer, allocatable :: b(:)[:], c(:)[:]
  integer(atomic_int_kind) :: counters(4)[*], old
  type(lock_type) :: guards(3)[*]
  type(event_type) :: ready(3)[*]

  call get_command_argument(1, operation)
  allocate (b(n)[*], c(n)[*])
  a = 1; beside = 2; b = 3; c = 4; counters = 0
  sync all
  ! Values that no compiler can know.
  low = n + 3; high = n + 3
  if (command_argument_count() > 5) high = 1
  if (this_image() == 2) then
    select case (operation)
    case ('put')
      a(low)[1] = -1
    case ('put-section')
      a(2:high)[1] = -1
    case ('put-below')
      a(high - 2 * low:3)[1] = -1
    case ('put-allocatable')
      b(5:high)[1] = -1
    case ('put-vector')
      list = [1, low]
      b(list)[1] = [-1, -2]
    case ('get')
      got(1) = a(low)[1]
    case ('get-section')
      got(1:high) = b(1:high)[1]
    case ('get-reversed')
      got(1:high) = a(high:1:-1)[1]
    case ('get-vector')
      list = [low, 2]
      got(1:2) = a(list)[1]
    case ('between')
      b(1:high)[1] = b(1:high)[3]
    case ('atomic-add')
      call atomic_add(counters(low)[1], 1)
    case ('atomic-ref')
      call atomic_ref(old, counters(low)[1])
    case ('lock')
      lock (guards(low)[1])
    case ('event-post')
      event post (ready(low)[1])
    case ('event-wait')
      event wait (ready(low))
    case default
      error stop 'out_of_bounds: unknown operation'
    end select
    print '(a)', 'nothing happened'
    error stop 99, quiet=.true.
  end if
  sync all
end program
