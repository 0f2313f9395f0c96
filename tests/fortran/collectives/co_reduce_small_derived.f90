!> co_reduce of derived types of at most 16 bytes, which functions return in registers: of all classes, by reference and by
!> value, from module and internal procedures.
module small_types
  implicit none
  type number
    integer :: n
  end type
  type bytes
    integer(1) :: a, b, c
  end type
  type floats
    real :: x, y
  end type
  type turned
    real(8) :: x
    integer(8) :: n
  end type
  type single
    real :: x
  end type
  type mixed4
    real :: x
    integer :: n
  end type
  type place
    integer :: at
    real(8) :: value
  end type
  type mean
    real(8) :: sum
    integer :: count
  end type
  type vector
    real(8) :: x(2)
  end type
  type fractions
    real :: x(3)
  end type
  type counts
    integer(8) :: a, b
  end type
  type name
    character(5) :: text
    logical :: set
  end type
  type inner
    complex :: z
    integer(2) :: n
  end type
  type outer
    type(inner) :: a
  end type

contains

  pure type(number) function add_number(a, b)
    type(number), intent(in) :: a, b
    add_number = number(a%n + b%n)
  end function

  pure type(bytes) function add_bytes(a, b)
    type(bytes), intent(in) :: a, b
    add_bytes = bytes(a%a + b%a, a%b + b%b, a%c + b%c)
  end function

  pure type(floats) function add_floats(a, b)
    type(floats), intent(in) :: a, b
    add_floats = floats(a%x + b%x, a%y + b%y)
  end function

  pure type(turned) function add_turned(a, b)
    type(turned), intent(in) :: a, b
    add_turned = turned(a%x + b%x, a%n + b%n)
  end function

  pure type(single) function add_single(a, b)
    type(single), intent(in) :: a, b
    add_single%x = a%x + b%x
  end function

  pure type(mixed4) function add_mixed4(a, b)
    type(mixed4), intent(in) :: a, b
    add_mixed4 = mixed4(a%x + b%x, a%n + b%n)
  end function

  pure type(place) function max_place(a, b)
    type(place), intent(in) :: a, b
    if (a%value >= b%value) then
      max_place = a
    else
      max_place = b
    end if
  end function

  pure type(mean) function add_mean(a, b)
    type(mean), intent(in) :: a, b
    add_mean = mean(a%sum + b%sum, a%count + b%count)
  end function

  pure type(mean) function add_mean_values(a, b)
    type(mean), value :: a, b
    add_mean_values = mean(a%sum + b%sum, a%count + b%count)
  end function

  pure type(vector) function add_vector(a, b)
    type(vector), intent(in) :: a, b
    add_vector%x = a%x + b%x
  end function

  pure type(fractions) function add_fractions(a, b)
    type(fractions), value :: a, b
    add_fractions%x = a%x + b%x
  end function

  pure type(counts) function add_counts(a, b)
    type(counts), intent(in) :: a, b
    add_counts = counts(a%a + b%a, a%b + b%b)
  end function

  pure type(name) function join_name(a, b)
    type(name), intent(in) :: a, b
    join_name = merge(a, b, a%text >= b%text)
    join_name%set = a%set .or. b%set
  end function

  pure type(outer) function add_outer(a, b)
    type(outer), intent(in) :: a, b
    add_outer%a = inner(a%a%z + b%a%z, a%a%n + b%a%n)
  end function
end module

program co_reduce_small_derived
  use checks
  use small_types
  implicit none
  type(number) :: i
  type(bytes) :: y(3)
  type(floats) :: fs(9)
  type(turned) :: r, rs(4)
  type(vector) :: vs(2)
  type(single) :: s(4)
  type(mixed4) :: m
  type(place) :: p
  type(mean) :: a, b(3)
  type(vector) :: v
  type(fractions) :: f
  type(counts) :: c
  type(name) :: t
  type(outer) :: o
  integer :: me, n, sum, k, factor

  me = this_image(); n = num_images(); sum = n * (n + 1) / 2; factor = min(n, 1)
  i = number(me)
  call co_reduce(i, add_number)
  call require(i%n == sum, 'an integer')
  y = [(bytes(int(k, 1), int(me, 1), -1_1), k = 1, 3)]
  call co_reduce(y, add_bytes)
  do k = 1, 3
    call require(y(k)%a == k * n .and. y(k)%b == sum .and. y(k)%c == -n, '3 bytes')
  end do
  fs = [(floats(me * k, k), k = 1, 9)]
  call co_reduce(fs, add_floats, result_image=1)
  do k = 1, 9
    if (me == 1) call require(fs(k)%x == sum * k .and. fs(k)%y == k * n, 'two reals in 8 bytes')
  end do
  r = turned(0.25d0 * me, 10000000000_8 * me)
  call co_reduce(r, add_turned)
  call require(r%x == 0.25d0 * sum .and. r%n == 10000000000_8 * sum, 'a real and an integer of 8 bytes')
  rs = [(turned(me * k, -k), k = 1, 4)]
  call co_reduce(rs, add_turned)
  do k = 1, 4
    call require(rs(k)%x == sum * k .and. rs(k)%n == -k * n, 'an array of a real and an integer')
  end do
  vs = [vector([me, 1]), vector([1, me])]
  call co_reduce(vs, add_vector)
  call require(all(nint(vs(1)%x) == [sum, n]) .and. all(nint(vs(2)%x) == [n, sum]), 'an array of two reals')
  s = [(single(k * me), k = 1, 4)]
  call co_reduce(s, add_single)
  call require(all(nint(s%x) == [1, 2, 3, 4] * sum), 'a real')
  m = mixed4(0.5 * me, me)
  call co_reduce(m, add_mixed4)
  call require(nint(2 * m%x) == sum .and. m%n == sum, 'a real and an integer in 8 bytes')
  p = place(me, merge(0d0, 1d0 + modulo(me, n), n == 1))
  call co_reduce(p, max_place)
  call require(p%at == max(n - 1, 1), 'an integer and a real')
  a = mean(2.5d0 * me, me)
  call co_reduce(a, add_mean)
  call require(nint(2 * a%sum) == 5 * sum .and. a%count == sum, 'a real and an integer')
  b = [(mean(me, k), k = 1, 3)]
  call co_reduce(b, add_mean_values)
  call require(all(nint(b%sum) == sum .and. b%count == [1, 2, 3] * n), 'a real and an integer by value')
  a = mean(1.5d0, me)
  call co_reduce(a, scaled)
  call require(nint(2 * a%sum) == 3 * n .and. a%count == sum, 'an internal procedure')
  v = vector([1d0, -2d0] * me)
  call co_reduce(v, add_vector)
  call require(all(nint(v%x) == [1, -2] * sum), 'two reals')
  f = fractions([1., 2., 3.] * me)
  call co_reduce(f, add_fractions)
  call require(all(nint(f%x) == [1, 2, 3] * sum), 'three reals by value')
  c = counts(me, -3 * me)
  call co_reduce(c, add_counts, result_image=n)
  if (me == n) call require(c%a == sum .and. c%b == -3 * sum, 'two integers')
  t = name('abcd' // achar(96 + me), me == n)
  call co_reduce(t, join_name)
  call require(t%text == 'abcd' // achar(96 + n) .and. t%set, 'characters and a logical')
  o%a = inner(cmplx(me, -me), int(me, 2))
  call co_reduce(o, add_outer)
  call require(nint(real(o%a%z)) == sum .and. nint(aimag(o%a%z)) == -sum .and. o%a%n == sum, 'a component of derived type')

contains

  !> Uses a variable of its host.
  pure type(mean) function scaled(a, b)
    type(mean), intent(in) :: a, b
    scaled = mean((a%sum + b%sum) * factor, a%count + b%count)
  end function
end program
