!> co_reduce of derived types that consist of one to five reals of one kind, and of types of the same lengths that do not: up to 64
!> bytes, which some machines return in registers, and more; by reference and by value.
module equal_reals
  implicit none
  type singles
    real(4) :: x(3)
  end type
  type doubles
    real(8) :: x(3)
  end type
  type pairs
    complex(8) :: x, y
  end type
  type quads
    real(16) :: a, b(3)
  end type
  type five
    real(8) :: x(5)
  end type
  type mixed
    real(8) :: x(2)
    integer(8) :: n
  end type
  type nested
    type(singles) :: first
    real(4) :: last
  end type
  type numbers
    integer(1) :: n(64)
  end type

contains

  pure type(singles) function add_singles(a, b) result(c)
    type(singles), intent(in) :: a, b
    c%x = a%x + b%x
  end function

  pure type(singles) function add_singles_by_value(a, b) result(c)
    type(singles), value :: a, b
    c%x = a%x + b%x
  end function

  pure type(doubles) function add_doubles(a, b) result(c)
    type(doubles), intent(in) :: a, b
    c%x = a%x + b%x
  end function

  pure type(doubles) function add_doubles_by_value(a, b) result(c)
    type(doubles), value :: a, b
    c%x = a%x + b%x
    b%x = -1
  end function

  pure type(pairs) function add_pairs(a, b) result(c)
    type(pairs), intent(in) :: a, b
    c = pairs(a%x + b%x, a%y + b%y)
  end function

  pure type(pairs) function add_pairs_by_value(a, b) result(c)
    type(pairs), value :: a, b
    c = pairs(a%x + b%x, a%y + b%y)
  end function

  pure type(quads) function add_quads(a, b) result(c)
    type(quads), intent(in) :: a, b
    c = quads(a%a + b%a, a%b + b%b)
  end function

  pure type(quads) function add_quads_by_value(a, b) result(c)
    type(quads), value :: a, b
    c = quads(a%a + b%a, a%b + b%b)
  end function

  pure type(five) function add_five(a, b) result(c)
    type(five), intent(in) :: a, b
    c%x = a%x + b%x
  end function

  pure type(five) function add_five_by_value(a, b) result(c)
    type(five), value :: a, b
    c%x = a%x + b%x
    a%x = -1; b%x = -1
  end function

  pure type(mixed) function add_mixed(a, b) result(c)
    type(mixed), intent(in) :: a, b
    c = mixed(a%x + b%x, a%n + b%n)
  end function

  pure type(mixed) function add_mixed_by_value(a, b) result(c)
    type(mixed), value :: a, b
    c = mixed(a%x + b%x, a%n + b%n)
  end function

  pure type(nested) function add_nested_by_value(a, b) result(c)
    type(nested), value :: a, b
    c%first%x = a%first%x + b%first%x
    c%last = a%last + b%last
  end function

  pure type(numbers) function add_numbers(a, b) result(c)
    type(numbers), intent(in) :: a, b
    c%n = a%n + b%n
  end function
end module

program co_reduce_equal_reals
  use checks
  use equal_reals
  implicit none
  type(singles) :: s(2)
  type(doubles) :: d(3)
  type(pairs) :: p
  type(quads) :: q
  type(five) :: f
  type(mixed) :: m
  type(nested) :: t
  type(numbers) :: i
  integer :: me, n, sum, k, pass

  me = this_image(); n = num_images(); sum = n * (n + 1) / 2
  do pass = 1, 2
    s = singles([1, 2, 3] * me); d = [(doubles([k, 2, 3] * me), k = 1, 3)]
    p = pairs((1, 2) * me, (3, -4) * me); q = quads(me, [2, 3, 4] * me); f = five([1, 2, 3, 4, 5] * me); m = mixed([1, 2] * me, me)
    if (pass == 1) then
      call co_reduce(s, add_singles)
      call co_reduce(d, add_doubles)
      call co_reduce(p, add_pairs)
      call co_reduce(q, add_quads)
      call co_reduce(f, add_five)
      call co_reduce(m, add_mixed)
    else
      call co_reduce(s, add_singles_by_value)
      call co_reduce(d, add_doubles_by_value)
      call co_reduce(p, add_pairs_by_value)
      call co_reduce(q, add_quads_by_value)
      call co_reduce(f, add_five_by_value)
      call co_reduce(m, add_mixed_by_value)
    end if
    call require(all(s(1)%x == [1, 2, 3] * sum) .and. all(s(2)%x == [1, 2, 3] * sum), 'real(4)')
    do k = 1, 3
      call require(all(d(k)%x == [k, 2, 3] * sum), 'real(8)')
    end do
    call require(p%x == (1, 2) * sum .and. p%y == (3, -4) * sum, 'complex(8)')
    call require(q%a == sum .and. all(q%b == [2, 3, 4] * sum), 'real(16)')
    call require(all(f%x == [1, 2, 3, 4, 5] * sum), 'five reals')
    call require(all(m%x == [1, 2] * sum) .and. m%n == sum, 'reals and an integer')
  end do
  t = nested(singles([1, 2, 3] * me), me)
  call co_reduce(t, add_nested_by_value)
  call require(all(t%first%x == [1, 2, 3] * sum) .and. t%last == sum, 'a nested type')
  i%n = int(me, 1)
  call co_reduce(i, add_numbers)
  call require(all(i%n == sum), '64 integers')
end program
