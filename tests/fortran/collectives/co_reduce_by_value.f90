!> co_reduce with operations whose arguments have VALUE: numbers of all sizes, and derived types.
program co_reduce_by_value
  use checks
  implicit none
  type odd
    integer(1) :: a(21)
  end type
  type large
    real(8) :: v(3)
    integer :: k
  end type
  integer(1) :: i1
  integer(8) :: i8
  integer(16) :: i16
  real(4) :: r4
  real(kind10) :: r10
  real(16) :: r16
  complex(4) :: z4
  complex(8) :: z8
  complex(kind10) :: z10
  complex(16) :: z16
  logical :: l
  type(odd) :: o
  type(large) :: g, gs(2)
  integer :: me, n, sum, i

  me = this_image(); n = num_images(); sum = n * (n + 1) / 2
  i1 = int(me, 1); i8 = me; i16 = me; r4 = me; r10 = me; r16 = me; z4 = cmplx(me, 1); z8 = cmplx(1, me, 8); l = me == 1
  call co_reduce(i1, add_i1)
  call co_reduce(i8, add_i8)
  call co_reduce(i16, add_i16)
  call co_reduce(r4, add_r4)
  call co_reduce(r10, add_r10)
  call co_reduce(r16, add_r16)
  call co_reduce(z4, add_z4)
  call co_reduce(z8, add_z8)
  z10 = cmplx(-me, me, kind10); z16 = cmplx(me, -1, 16)
  call co_reduce(z10, add_z10)
  call co_reduce(z16, add_z16)
  call co_reduce(l, either)
  call require(i1 == sum .and. i8 == sum .and. i16 == sum, 'integers')
  call require(r4 == sum .and. r10 == sum .and. r16 == sum, 'reals')
  call require(z4 == cmplx(sum, n) .and. z8 == cmplx(n, sum, 8), 'complex')
  call require(z10 == cmplx(-sum, sum, kind10) .and. z16 == cmplx(sum, -n, 16), 'wide complex')
  call require(l, 'logical')
  o = odd([(int(me * i, 1), i = 1, 21)])
  call co_reduce(o, add_odd)
  call require(all(o%a == [(int(sum * i, 1), i = 1, 21)]), '21 bytes')
  g = large([1, 2, 3] * me, 1)
  call co_reduce(g, add_large)
  call require(all(g%v == [1, 2, 3] * sum) .and. g%k == n, '32 bytes')
  gs = [large([1, 0, 0] * me, 1), large([0, 0, 1] * me, 2)]
  call co_reduce(gs, add_large)
  call require(gs(1)%v(1) == sum .and. gs(2)%v(3) == sum .and. all(gs%k == [n, 2 * n]), 'array of 32 bytes')

contains

  pure integer(1) function add_i1(a, b)
    integer(1), value :: a, b
    add_i1 = a + b
  end function

  pure integer(8) function add_i8(a, b)
    integer(8), value :: a, b
    add_i8 = a + b
  end function

  pure integer(16) function add_i16(a, b)
    integer(16), value :: a, b
    add_i16 = a + b
  end function

  pure real(4) function add_r4(a, b)
    real(4), value :: a, b
    add_r4 = a + b
  end function

  pure real(kind10) function add_r10(a, b)
    real(kind10), value :: a, b
    add_r10 = a + b
  end function

  pure real(16) function add_r16(a, b)
    real(16), value :: a, b
    add_r16 = a + b
  end function

  pure complex(4) function add_z4(a, b)
    complex(4), value :: a, b
    add_z4 = a + b
  end function

  pure complex(8) function add_z8(a, b)
    complex(8), value :: a, b
    add_z8 = a + b
  end function

  pure complex(kind10) function add_z10(a, b)
    complex(kind10), value :: a, b
    add_z10 = a + b
  end function

  pure complex(16) function add_z16(a, b)
    complex(16), value :: a, b
    add_z16 = a + b
  end function

  pure logical function either(a, b)
    logical, value :: a, b
    either = a .or. b
  end function

  pure type(odd) function add_odd(a, b)
    type(odd), value :: a, b
    add_odd = odd(a%a + b%a)
  end function

  pure type(large) function add_large(a, b)
    type(large), value :: a, b
    add_large = large(a%v + b%v, a%k + b%k)
  end function
end program
