!> Coarrays by host and use association, renamed, with ONLY, and hidden by local variables of the same name.
! Not with gfortran 15 and later: puts of module procedures to coarrays of the module do not link.
module first
  implicit none
  integer :: value[*] = 1
  integer :: other(2)[*] = 2
end module

module second
  use first, only: renamed => value
  implicit none
  integer :: value[*] = 3

contains

  subroutine put_both(image, k)
    integer, intent(in) :: image, k
    renamed[image] = k
    value[image] = -k
  end subroutine
end module

program names
  use checks
  use first, only: of_first => value, other
  use second, only: of_second => value, put_both
  implicit none
  integer :: me, next, prev
  integer :: mine[*]

  me = this_image(); next = right_of(me); prev = left_of(me); mine = me
  sync all
  call require(of_first[next] == 1 .and. of_second[next] == 3 .and. other(2)[next] == 2, 'initial values')
  sync all
  call put_both(next, me)
  sync all
  call require(of_first == prev .and. of_second == -prev, 'puts of the module')
  call require(of_first[next] == me .and. of_second[next] == -me, 'gets of the program')
  call hidden()
  call associated_by_host()

contains

  subroutine hidden()
    integer, save :: mine[*] = 77
    integer :: other
    other = mine[next]
    call require_equal(other, 77, 'a local coarray of the same name')
  end subroutine

  subroutine associated_by_host()
    call require_equal(mine[next], next, 'by host association')
  end subroutine
end program
