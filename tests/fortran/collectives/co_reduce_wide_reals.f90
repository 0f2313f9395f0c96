!> co_reduce of real(10), real(16) and complex numbers of them, alone and as components; by reference and by value.
module wide_operations
  implicit none
  integer, parameter :: x = selected_real_kind(18), q = 16
  type extended
    real(x) :: r
  end type
  type quad
    real(q) :: r
  end type

contains

  pure real(x) function add_x(a, b)
    real(x), intent(in) :: a, b
    add_x = a + b
  end function

  pure real(x) function add_x_values(a, b)
    real(x), value :: a, b
    add_x_values = a + b
  end function

  pure real(q) function add_q(a, b)
    real(q), intent(in) :: a, b
    add_q = a + b
  end function

  pure real(q) function add_q_values(a, b)
    real(q), value :: a, b
    add_q_values = a + b
  end function

  pure complex(x) function add_cx(a, b)
    complex(x), intent(in) :: a, b
    add_cx = a + b
  end function

  pure complex(x) function add_cx_values(a, b)
    complex(x), value :: a, b
    add_cx_values = a + b
  end function

  pure complex(q) function add_cq(a, b)
    complex(q), intent(in) :: a, b
    add_cq = a + b
  end function

  pure complex(q) function add_cq_values(a, b)
    complex(q), value :: a, b
    add_cq_values = a + b
  end function

  pure type(extended) function add_extended(a, b)
    type(extended), intent(in) :: a, b
    add_extended%r = a%r + b%r
  end function

  pure type(quad) function add_quad(a, b)
    type(quad), intent(in) :: a, b
    add_quad%r = a%r + b%r
  end function
end module

program co_reduce_wide_reals
  use checks
  use wide_operations
  implicit none
  real(x) :: a, list(7)
  real(q) :: b, wide(3)
  complex(x) :: c
  complex(q) :: d, many(3)
  type(extended) :: e
  type(quad) :: f
  integer :: me, n, sum, k

  me = this_image(); n = num_images(); sum = n * (n + 1) / 2
  a = me / 3._x
  call co_reduce(a, add_x)
  call require(abs(a - sum / 3._x) < 8 * n * epsilon(a), 'real(10)')
  list = [(real(k * me, x), k = 1, 7)]
  call co_reduce(list, add_x_values, result_image=1)
  if (me == 1) call require(all(nint(list) == [(k * sum, k = 1, 7)]), 'real(10) by value')
  b = me / 3._q
  call co_reduce(b, add_q)
  call require(abs(b - sum / 3._q) < 8 * n * epsilon(b), 'real(16)')
  wide = [1, 2, 3] * real(me, q)
  call co_reduce(wide, add_q_values)
  call require(all(nint(wide) == [1, 2, 3] * sum), 'real(16) by value')
  c = cmplx(me, -me, x)
  call co_reduce(c, add_cx)
  call require(nint(real(c)) == sum .and. nint(aimag(c)) == -sum, 'complex(10)')
  c = cmplx(-me, 2 * me, x)
  call co_reduce(c, add_cx_values)
  call require(nint(real(c)) == -sum .and. nint(aimag(c)) == 2 * sum, 'complex(10) by value')
  many = [1, 2, 3] * cmplx(me, -me, q)
  call co_reduce(many, add_cq)
  call require(all(nint(real(many)) == [1, 2, 3] * sum .and. nint(aimag(many)) == [-1, -2, -3] * sum), 'complex(16)')
  d = cmplx(-me, 2 * me, q)
  call co_reduce(d, add_cq_values)
  call require(nint(real(d)) == -sum .and. nint(aimag(d)) == 2 * sum, 'complex(16) by value')
  e = extended(me)
  call co_reduce(e, add_extended)
  call require(nint(e%r) == sum, 'a component of type real(10)')
  f = quad(me / 3._q)
  call co_reduce(f, add_quad)
  call require(abs(f%r - sum / 3._q) < 8 * n * epsilon(b), 'a component of type real(16)')
end program
