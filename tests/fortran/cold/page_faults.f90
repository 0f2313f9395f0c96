!> Counts the page faults of collectives of several lengths in a job that has executed none before: after a few operations, and in
!> the first thousand.
program page_faults
  use, intrinsic :: iso_c_binding, only: c_int, c_long
  implicit none
  interface
    integer(c_int) function getrusage(who, usage) bind(c)
      import :: c_int, c_long
      integer(c_int), value :: who
      integer(c_long), intent(out) :: usage(18)
    end function
  end interface
  integer, parameter :: bytes(8) = [8, 64, 512, 1024, 2048, 4096, 8192, 16384]
  integer, parameter :: few = 4, more = 100, many = 1000
  character(12) :: operation
  real(8) :: x(2048)
  integer :: k, at
  integer(8) :: before, after(3)

  call get_command_argument(1, operation)
  x = 1
  ! The barrier's own memory, and that of this program.
  sync all
  after = faults()
  do k = 1, size(bytes)
    x = 1
    sync all
    before = faults()
    do at = 1, many
      call operate(bytes(k) / 8)
      if (at == few) after(1) = faults()
      if (at == few + more) after(2) = faults()
    end do
    after(3) = faults()
    critical
      print '(a, i6, 3i6)', trim(operation), bytes(k), after(1) - before, after(2) - after(1), after(3) - before
    end critical
  end do
contains
  subroutine operate(elements)
    integer, intent(in) :: elements
    select case (operation)
    case ('co_sum')
      call co_sum(x(1:elements))
      x(1) = 1
    case ('co_broadcast')
      call co_broadcast(x(1:elements), 1)
    case ('co_max')
      call co_max(x(1:elements), result_image=1)
    end select
  end subroutine

  integer(8) function faults()
    integer(c_long) :: usage(18)
    ! Words 9 and 10 are minor and major faults.
    if (getrusage(0_c_int, usage) /= 0) error stop 'getrusage'
    faults = usage(9) + usage(10)
  end function
end program
