!> Puts with TEAM= in the selector: image indices of the current team, of its parent, and of the parent's parent.
program put_with_team
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  integer :: which(3)
  type pair
    integer :: first
    real(8) :: second
  end type
  type(team_type) :: everyone, half, alone
  integer :: a(8)[*], to(8)[*], wide(2, 8)[*]
  real(8) :: r(10)[*]
  type(pair) :: p(8)[*]
  character(5) :: s(8)[*]
  integer, allocatable :: w(:)[:]
  integer(1) :: small(3)
  integer :: me, n, i

  me = this_image(); n = num_images()
  allocate (w(n)[*])
  a = 0; to = 0; wide = 0; r = 0; p = pair(0, 0); s = ' '; w = 0
  form team (1, everyone)
  change team (everyone)
    form team (1 + mod(me, 2), half)
    change team (half)
      form team (this_image(), alone)
      change team (alone)
        do i = 1, n
          a(me)[i, team=everyone] = 10 * me + i
          r(me)[i, team=everyone] = me
          p(me)[i, team=everyone] = pair(me, 0.5d0)
          p(me)[i, team=everyone]%first = -me
          s(me)[i, team=everyone] = 'ab'
          wide(:, me)[i, team=everyone] = [me, -me]
          w(me:me)[i, team=everyone] = [me]
        end do
        ! Vector subscripts, a conversion, and a scalar to an array, in the team around.
        small = [1_1, 2_1, 3_1]
        i = position(right_in_half(me)); which = [3, 1, 2]
        to(which)[i, team=half] = small
        r(9)[position(me), team=half] = 77
        r(10)[1, team=alone] = -me
        to(4:8)[position(right_in_half(me)), team=half] = me
      end team
      sync all
    end team
    sync all
  end team
  sync all
  call require(all(a(:n) == [(10 * i + me, i = 1, n)]), 'integers')
  call require(all(r(:n) == [(i, i = 1, n)]) .and. r(9) == 77 .and. r(10) == -me, 'reals')
  call require(all(p(:n)%first == [(-i, i = 1, n)]) .and. all(p(:n)%second == 0.5d0), 'a derived type')
  call require(all(s(:n) == 'ab'), 'characters')
  call require(all(wide(1, :n) == [(i, i = 1, n)]) .and. all(wide(2, :n) == [(-i, i = 1, n)]), 'sections')
  call require(all(w == [(i, i = 1, n)]), 'an allocatable coarray')
  call require(all(to(:3) == [2, 3, 1]), 'a vector subscript')
  call require(all(to(4:) == left_in_half(me)), 'a scalar')

contains

  !> The index in the half of an image of everyone.
  integer function position(image)
    integer, intent(in) :: image
    position = (image + 1) / 2
  end function

  integer function right_in_half(image)
    integer, intent(in) :: image
    right_in_half = image + 2
    if (right_in_half > n) right_in_half = 2 - mod(image, 2)
  end function

  integer function left_in_half(image)
    integer, intent(in) :: image
    left_in_half = image - 2
    if (left_in_half < 1) left_in_half = image + 2 * ((n - image) / 2)
  end function
end program
