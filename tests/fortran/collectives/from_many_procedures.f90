!> The images may execute a collective from different statements: it is the order of executions that counts.
program from_many_procedures
  use checks
  implicit none
  integer :: me, n, total, x, y, k

  me = this_image(); n = num_images(); total = n * (n + 1) / 2
  do k = 1, 20
    x = me; y = me
    if (mod(me + k, 2) == 0) then
      call co_sum(x)
      call by_procedure(y)
    else
      call by_procedure(x)
      call co_sum(y)
    end if
    call require(x == total .and. y == total, 'co_sum')
    x = 0
    select case (me)
    case (1)
      x = k
      call co_broadcast(x, 1)
    case (2)
      call co_broadcast(x, source_image=1)
    case default
      call recursive_broadcast(x, me)
    end select
    call require_equal(x, k, 'co_broadcast')
  end do

contains

  subroutine by_procedure(v)
    integer, intent(inout) :: v
    call co_sum(v)
  end subroutine

  recursive subroutine recursive_broadcast(v, depth)
    integer, intent(inout) :: v
    integer, intent(in) :: depth
    if (depth > 0) then
      call recursive_broadcast(v, depth - 1)
    else
      call co_broadcast(v, 1)
    end if
  end subroutine
end program
