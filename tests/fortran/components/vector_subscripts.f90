!> Vector subscripts of components: integers of every kind, repeated and in any order, on either side.
! Not with gfortran 15 and later: array constructors as vector subscripts crash it.
program vector_subscripts
  use checks
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64
  implicit none
  type t
    integer, allocatable :: x(:)
    integer, allocatable :: m(:, :)
  end type
  type(t) :: c[*]
  integer, allocatable :: b(:), p(:, :)
  integer :: me, next, i, where_to(3)

  me = this_image(); next = right_of(me)
  allocate (c%x(-2:7), c%m(3, 4))
  c%x = [(100*me + i, i=-2, 7)]
  c%m = reshape([(1000*me + i, i=1, 12)], [3, 4])
  sync all
  b = c[next]%x([-2_int8, 7_int8, 0_int8])
  call require(all(b == 100*next + [-2, 7, 0]), 'kind 1')
  b = c[next]%x([5_int16, 5_int16])
  call require(all(b == 100*next + [5, 5]), 'kind 2, repeated')
  b = c[next]%x([integer(int32) :: ])
  call require(size(b) == 0, 'none')
  b = c[next]%x([7_int64, -1_int64])
  call require(all(b == 100*next + [7, -1]), 'kind 8')
  p = c[next]%m([3, 1], 2:4:2)
  call require(all(p == 1000*next + reshape([6, 4, 12, 10], [2, 2])), 'beside a range')
  p = c[next]%m([3, 1], [4, 2])
  call require(all(p == 1000*next + reshape([12, 10, 6, 4], [2, 2])), 'two')
  b = c[next]%m(2, [4, 1, 4])
  call require(all(b == 1000*next + [11, 2, 11]), 'beside a subscript')
  sync all
  where_to = [4, 0, 2]
  c[next]%x(where_to) = [1, 2, 3]
  sync all
  call require(all(c%x([0, 2, 4]) == [2, 3, 1]), 'put')
  call require(c%x(1) == 100*me + 1 .and. c%x(3) == 100*me + 3, 'beside what was put')
end program
