!> Coarray dummy arguments: assumed size, optional, intent(in), allocatable ones that are allocated inside, nested calls.
! Not with gfortran 15 and later: gets through assumed-shape dummy coarrays end with SIGSEGV.
module receivers
  implicit none

contains

  subroutine assumed_size(x, to, value)
    integer, intent(inout) :: x(2, *)[*]
    integer, intent(in) :: to, value
    x(2, 3)[to] = value
  end subroutine

  integer function maybe(x, from)
    integer, intent(in), optional :: x[*]
    integer, intent(in) :: from
    maybe = -1
    if (present(x)) maybe = x[from]
  end function

  subroutine make(x, length)
    integer, allocatable, intent(inout) :: x(:)[:]
    integer, intent(in) :: length
    if (allocated(x)) deallocate (x)
    allocate (x(length)[*])
    x = length * this_image()
    sync all
  end subroutine

  recursive integer function deeper(x, from, depth) result(sum)
    integer, intent(in) :: x(:)[*]
    integer, intent(in) :: from, depth
    sum = x(depth)[from]
    if (depth > 1) sum = sum + deeper(x, from, depth - 1)
  end function
end module

program dummies
  use checks
  use receivers
  implicit none
  integer :: a(2, 4)[*], b[*], c(6)[*]
  integer, allocatable :: d(:)[:]
  integer :: me, next, prev, k

  me = this_image(); next = right_of(me); prev = left_of(me)
  a = 0; b = 10 * me; c = [(k * me, k = 1, 6)]
  sync all
  call assumed_size(a, next, me)
  call require_equal(maybe(b, next), 10 * next, 'optional argument that is present')
  call require_equal(maybe(from=next), -1, 'optional argument that is absent')
  call require_equal(deeper(c, next, 6), 21 * next, 'recursive calls')
  call require_equal(deeper(c(2:6:2), next, 3), 12 * next, 'section')
  do k = 1, 5
    call make(d, k)
    call require_equal(d(k)[next], k * next, 'allocated by a procedure')
    sync all
  end do
  sync all
  call require(a(2, 3) == prev .and. count(a /= 0) == 1, 'assumed size')
end program
