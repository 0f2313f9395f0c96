!> Collectives on nothing: arrays of size 0, empty sections, characters of length 0; the collectives after them are in step.
program zero_size
  use checks
  implicit none
  integer :: none(0), a(3, 5), x, me, n, k
  real(8), allocatable :: empty(:, :)
  character(0) :: no_letters
  character(5) :: words(0)
  type t
    integer :: i(3)
  end type
  type(t) :: objects(0)

  me = this_image(); n = num_images()
  allocate (empty(0, 7))
  do k = 1, 10
    a = me
    call co_sum(none)
    call co_min(none, result_image=n)
    call co_max(empty)
    call co_broadcast(none, 1)
    call co_broadcast(a(3:2, :), n)
    call co_sum(a(:, 5:1))
    call co_reduce(none, plus)
    call co_max(words)
    call co_broadcast(no_letters, 1)
    call co_broadcast(objects, 1)
    call co_broadcast(words, n)
    call require(all(a == me), 'what was not given has changed')
    x = me
    call co_sum(x)
    call require_equal(x, n * (n + 1) / 2, 'the sum after them')
  end do

contains

  pure integer function plus(p, q)
    integer, intent(in) :: p, q
    plus = p + q
  end function
end program
