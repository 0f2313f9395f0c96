!> Coarrays allocated at several depths of calls: local ones of callers stay as they are, those of callees go.
program in_procedures
  use checks
  implicit none
  integer :: me, next

  me = this_image(); next = right_of(me)
  call outer(1)
  call outer(5)

contains

  subroutine outer(n)
    integer, intent(in) :: n
    integer, allocatable :: a(:)[:], b[:]
    integer :: k
    allocate (a(10 * n)[*], b[*])
    a = n * me; b = -me
    sync all
    do k = 1, 5
      call middle(n + k)
      call require(a(10 * n)[next] == n * next .and. b[next] == -next, 'of the caller')
    end do
    sync all
    deallocate (b)
    call middle(n)
    call require(a(1)[next] == n * next, 'after a deallocation')
    sync all
  end subroutine

  subroutine middle(n)
    integer, intent(in) :: n
    real(8), allocatable :: c(:, :)[:]
    allocate (c(n, n)[*])
    c = 0.5d0 * me
    call inner(c, n)
    sync all
    call require(c(n, n) == -left_of(me) .and. c(1, 1) == merge(0.5d0 * me, -1d0 * left_of(me), n > 1), 'of the middle')
  end subroutine

  subroutine inner(c, n)
    integer, intent(in) :: n
    real(8), allocatable, intent(inout) :: c(:, :)[:]
    integer, allocatable :: d(:)[:]
    allocate (d(3)[*], source=n)
    call require_equal(d(3)[next], n, 'of the innermost')
    c(n, n)[next] = -me
  end subroutine
end program
