!> Dummy coarrays of other shapes than their actual arguments: sections of them go on from one column of the coarray into the
!> next by right.
! Not with gfortran 15 and later: explicit-shape dummy coarrays with variable bounds crash the compiler.
module reshaped_in_hosts
  use checks
  implicit none
contains
  subroutine host(d)
    integer, intent(inout) :: d(12, 2)[*]
    call inner(12)
  contains
    subroutine inner(n)
      integer, intent(in) :: n
      integer :: got(4), next
      next = right_of(this_image())
      got = d(3:n:3, 2)[next]
      call require(all(got == 100*next + [15, 18, 21, 24]), 'dummy of the host')
    end subroutine inner
  end subroutine host
end module reshaped_in_hosts

program reshaped_dummies
  use checks
  use reshaped_in_hosts
  implicit none
  integer, allocatable :: a(:, :)[:]
  integer, save :: s(4, 6)[*]
  integer :: me, next, k, round

  me = this_image()
  next = right_of(me)
  allocate (a(4, 6)[*])
  ! More often than the library looks at such sections.
  do round = 1, 6
    a = reshape([(100*me + k, k = 1, 24)], [4, 6])
    s = a
    sync all
    call explicit(a, 24)
    call explicit(s, 24)
    call other_columns(a, 3)
    call other_columns(s, 3)
    call assumed_size(a)
    call assumed_size(s)
    call host(a)
    sync all
  end do
contains
  subroutine explicit(d, n)
    integer, intent(in) :: n
    integer, intent(inout) :: d(n)[*]
    integer :: got(8)
    got = d(1:n:3)[next]
    call require(all(got == [(100*next + k, k = 1, 24, 3)]), 'steps over columns')
    got = d([3, 4, 5, 6, 7, 8, 9, 24])[next]
    call require(all(got == 100*next + [3, 4, 5, 6, 7, 8, 9, 24]), 'vector over columns')
    sync all
    d(2:n:11)[next] = -me
    sync all
    call require(d(2) == -left_of(me) .and. d(13) == -left_of(me) .and. d(24) == -left_of(me), 'put over columns')
    call require_equal(d(3), 100*me + 3, 'what lies beside')
    sync all
    d(2:n:11) = 100*me + [2, 13, 24]
    sync all
  end subroutine explicit

  subroutine other_columns(d, n)
    integer, intent(in) :: n
    integer, intent(inout) :: d(n, *)[*]
    integer :: got(2, 4)
    got = d(1:3:2, 2:8:2)[next]
    call require(all(got == 100*next + reshape([4, 6, 10, 12, 16, 18, 22, 24], [2, 4])), 'columns of another length')
    got = d([3, 1], 1:7:2)[next]
    call require(all(got == 100*next + reshape([3, 1, 9, 7, 15, 13, 21, 19], [2, 4])), 'vector in columns of another length')
  end subroutine other_columns

  subroutine assumed_size(d)
    integer, intent(inout) :: d(*)[*]
    integer :: got(4)
    got = d(21:6:-5)[next]
    call require(all(got == 100*next + [21, 16, 11, 6]), 'backwards over columns')
  end subroutine assumed_size
end program reshaped_dummies
