!> Coindexed objects as operands, conditions, subscripts, cosubscripts and actual arguments.
program in_expressions
  use checks
  implicit none
  integer :: a(5)[*], n[*], who[*]
  integer :: me, next, prev, i, total

  me = this_image(); next = right_of(me); prev = left_of(me)
  a = [(10 * me + i, i = 1, 5)]; n = me; who = next
  sync all
  call require_equal(n[next] * 2 + n[prev] - 1, 2 * next + prev - 1, 'operands')
  if (n[next] /= next) call require(.false., 'condition')
  call require_equal(a(a(1) [next] - 10 * next + 1), 10 * me + 2, 'subscript')
#if __GNUC__ < 15
  ! Later versions take the local variable for the cosubscript.
  call require_equal(n[who[next]], right_of(next), 'cosubscript')
#endif
  call require_equal(sum(a(:)[next]), 50 * next + 15, 'argument of an intrinsic function')
  call require_equal(double(a(3)[next]), 20 * next + 6, 'argument of a function')
  call require(all(a(2:4)[next] + a(1:3)[prev] == 10 * (next + prev) + [3, 5, 7]), 'operands of rank one')
  total = 0
  do i = 1, num_images()
    total = total + n[i]
  end do
  call require_equal(total, num_images() * (num_images() + 1) / 2, 'loop over images')
  call require_equal(maxval([(n[i], i = 1, num_images())]), num_images(), 'array constructor')
  sync all
  i = a(1)[next]
#if __GNUC__ == 15
  ! It takes the local variable for the operand of a put.
  n[next] = i + me
#else
  n[next] = a(1)[next] + me
#endif
  sync all
  call require_equal(n, 10 * me + 1 + prev, 'put of an expression of a get')

contains

  integer function double(x)
    integer, intent(in) :: x
    double = 2 * x
  end function
end program
