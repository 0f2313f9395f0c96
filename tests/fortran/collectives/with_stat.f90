!> stat= is zero and errmsg= untouched after collectives that succeeded, however errmsg is declared.
program with_stat
  use checks
  implicit none
  integer :: status, me, n, x
  character(8) :: short
  character(40) :: fixed
  character(:), allocatable :: deferred

  me = this_image(); n = num_images()
  short = 'short'; fixed = 'fixed'; deferred = 'deferred length, more than sixteen'
  status = 77; x = me
  call co_sum(x, stat=status)
  call require(x == n * (n + 1) / 2 .and. status == 0, 'co_sum')
  status = 77; x = me
  call co_max(x, stat=status, errmsg=short)
  call require(x == n .and. status == 0 .and. short == 'short', 'co_max with a short errmsg')
  status = 77; x = me
  call co_min(x, stat=status, errmsg=fixed)
  call require(x == 1 .and. status == 0 .and. fixed == 'fixed', 'co_min with an errmsg of fixed length')
  status = 77; x = me
  call co_broadcast(x, source_image=n, stat=status, errmsg=deferred)
  call require(x == n .and. status == 0 .and. deferred == 'deferred length, more than sixteen', &
               'co_broadcast with an allocatable errmsg')
  status = 77; x = me
  call co_reduce(x, plus, stat=status, errmsg=fixed)
  call require(x == n * (n + 1) / 2 .and. status == 0, 'co_reduce')
  call dummy(short)

contains

  subroutine dummy(message)
    character(*), intent(inout) :: message
    status = 77; x = me
    call co_sum(x, result_image=1, stat=status, errmsg=message)
    call require(status == 0 .and. message == 'short', 'co_sum with a dummy errmsg')
  end subroutine

  pure integer function plus(a, b)
    integer, intent(in) :: a, b
    plus = a + b
  end function
end program
