!> Coarrays as dummy arguments: explicit, assumed and deferred shape, other bounds, parts of an actual argument.
! Not with gfortran 15 and later: explicit-shape dummy coarrays with variable bounds crash it.
module receivers
  implicit none

contains

  subroutine explicit(x, n, to, value)
    integer, intent(in) :: n, to, value
    integer, intent(inout) :: x(n)[*]
    x(2:n)[to] = value
  end subroutine

  subroutine assumed(x, to, value)
    integer, intent(inout) :: x(:)[*]
    integer, intent(in) :: to, value
    x(size(x):1:-2)[to] = value
  end subroutine

  subroutine scalar(x, to, value)
    integer, intent(inout) :: x[*]
    integer, intent(in) :: to, value
    x[to] = value
  end subroutine

  subroutine other_cobounds(x, to, value)
    integer, intent(inout) :: x(-1:2)[0:*]
    integer, intent(in) :: to, value
    x(-1)[to - 1] = value
  end subroutine

  subroutine allocated(x, to, value)
    integer, allocatable, intent(inout) :: x(:)[:]
    integer, intent(in) :: to, value
    x(ubound(x, 1))[to] = value
  end subroutine
end module

program dummy_coarrays
  use checks
  use receivers
  implicit none
  integer :: a(8)[*], b(6)[*], c(5)[*], s(4)[*]
  integer, allocatable :: d(:)[:]
  integer :: me, next, prev

  me = this_image(); next = right_of(me); prev = left_of(me)
  allocate (d(3)[*])
  a = 0; b = 0; c = 0; d = 0; s = 0
  sync all
  call explicit(a, 4, next, me)
  call explicit(a(5:8), 4, next, 10 * me)
  call assumed(b, next, me)
  call scalar(s(3), next, me)
  call other_cobounds(c, next, me)
  call allocated(d, next, me)
  sync all
  call require(all(a == [0, prev, prev, prev, 0, 10 * prev, 10 * prev, 10 * prev]), 'explicit shape')
  call require(all(b == [0, prev, 0, prev, 0, prev]), 'assumed shape')
  call require(all(s == [0, 0, prev, 0]), 'element as a scalar dummy argument')
  call require(all(c == [prev, 0, 0, 0, 0]), 'other cobounds')
  call require(all(d == [0, 0, prev]), 'allocatable dummy argument')
  sync all
  call assumed(a(1:7:3), next, -me)
  sync all
  call require(all(a == [-prev, prev, prev, prev, 0, 10 * prev, -prev, 10 * prev]), 'strided actual argument')
end program
