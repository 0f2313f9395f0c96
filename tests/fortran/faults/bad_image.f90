!> Image 2 uses, in the operation that the first argument names, the image index that the second one gives.
program bad_image
  use, intrinsic :: iso_fortran_env, only: event_type, lock_type, atomic_int_kind
  implicit none
  character(20) :: operation, text
  integer :: index, status, got, gots(3), x, list(3)
  integer :: a(3)[*]
  integer(atomic_int_kind) :: counter[*], old
  type(lock_type) :: guard[*]
  type(event_type) :: ready[*]

  call get_command_argument(1, operation)
  call get_command_argument(2, text)
  read (text, *) index
  a = 1; counter = 0
  sync all
  if (this_image() == 2) then
    got = 5; gots = 5; status = 0
    select case (operation)
    case ('put')
      a(2)[index] = 7
    case ('put-array')
      a(:)[index] = [7, 8, 9]
    case ('get')
      got = a(2)[index]
    case ('get-array')
      gots = a(3:1:-1)[index]
    case ('get-stat')
      got = a(2)[index, stat=status]
    case ('between-to')
      a(:)[index] = a(:)[1]
    case ('between-from')
      a(:)[1] = a(:)[index]
    case ('atomic-define')
      call atomic_define(counter[index], 1)
    case ('atomic-ref')
      call atomic_ref(old, counter[index])
    case ('atomic-add')
      call atomic_add(counter[index], 1)
    case ('atomic-cas')
      call atomic_cas(counter[index], old, 0, 1)
    case ('atomic-stat')
      call atomic_add(counter[index], 1, status)
    case ('lock')
      lock (guard[index])
    case ('lock-stat')
      lock (guard[index], stat=status)
    case ('unlock')
      unlock (guard[index])
    case ('event-post')
      event post (ready[index])
    case ('event-post-stat')
      event post (ready[index], stat=status)
    case ('sync-images')
      sync images (index)
    case ('sync-images-list')
      list = [1, index, 3]
      sync images (list)
    case ('sync-images-stat')
      list = [1, index, 3]
      sync images (list, stat=status)
    case ('co-broadcast', 'co-broadcast-differ')
      call co_broadcast(x, source_image=index)
    case ('co-sum')
      call co_sum(x, result_image=index)
    case ('co-reduce')
      call co_reduce(x, plus, result_image=index)
    case ('co-max-stat')
      call co_max(x, result_image=index, stat=status)
    case default
      error stop 'bad_image: unknown operation'
    end select
    print '(a, i0, 4(1x, i0))', 'status ', status, got, gots
    error stop 99, quiet=.true.
  end if
  if (operation == 'co-broadcast-differ') call co_broadcast(x, source_image=1)
  sync all

contains

  pure integer function plus(a, b)
    integer, intent(in) :: a, b
    plus = a + b
  end function
end program
