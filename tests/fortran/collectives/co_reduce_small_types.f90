!> co_reduce of derived types of up to 16 bytes, which functions return in registers of several kinds.
program co_reduce_small_types
  use checks
  implicit none
  type bytes
    integer(1) :: a, b, c
  end type
  type floats
    real(4) :: x, y
  end type
  type three
    real(4) :: x, y, z
  end type
  type doubles
    real(8) :: x, y
  end type
  type mixed
    integer :: i
    real(8) :: x
  end type
  type turned
    real(8) :: x
    integer(8) :: i
  end type
  type(bytes) :: b, bs(3)
  type(floats) :: f, fs(9)
  type(three) :: t
  type(doubles) :: d, ds(2)
  type(mixed) :: m, ms(4)
  type(turned) :: r
  integer :: me, n, sum, i

  me = this_image(); n = num_images(); sum = n * (n + 1) / 2
  b = bytes(int(me, 1), 1_1, -1_1)
  call co_reduce(b, add_bytes)
  call require(b%a == sum .and. b%b == n .and. b%c == -n, '3 bytes')
  bs = [(bytes(int(i, 1), int(me, 1), 0_1), i = 1, 3)]
  call co_reduce(bs, add_bytes)
  do i = 1, 3
    call require(bs(i)%a == i * n .and. bs(i)%b == sum .and. bs(i)%c == 0, 'array of 3 bytes')
  end do
  f = floats(me, 0.5)
  call co_reduce(f, add_floats)
  call require(f%x == sum .and. f%y == 0.5 * n, 'two real(4)')
  fs = [(floats(me * i, i), i = 1, 9)]
  call co_reduce(fs, add_floats, result_image=1)
  do i = 1, 9
    if (me == 1) call require(fs(i)%x == sum * i .and. fs(i)%y == i * n, 'array of two real(4)')
  end do
  t = three(me, 2 * me, 3 * me)
  call co_reduce(t, add_three)
  call require(t%x == sum .and. t%y == 2 * sum .and. t%z == 3 * sum, 'three real(4)')
  d = doubles(me, -me)
  call co_reduce(d, add_doubles, result_image=n)
  if (me == n) call require(d%x == sum .and. d%y == -sum, 'two real(8)')
  ds = [doubles(me, 1), doubles(1, me)]
  call co_reduce(ds, add_doubles)
  call require(ds(1)%x == sum .and. ds(1)%y == n .and. ds(2)%x == n .and. ds(2)%y == sum, 'array of two real(8)')
  m = mixed(me, 0.25d0 * me)
  call co_reduce(m, add_mixed)
  call require(m%i == sum .and. m%x == 0.25d0 * sum, 'integer and real(8)')
  ms = [(mixed(me * i, -i), i = 1, 4)]
  call co_reduce(ms, add_mixed)
  do i = 1, 4
    call require(ms(i)%i == sum * i .and. ms(i)%x == -i * n, 'array of integer and real(8)')
  end do
  r = turned(0.25d0 * me, 10000000000_8 * me)
  call co_reduce(r, add_turned)
  call require(r%x == 0.25d0 * sum .and. r%i == 10000000000_8 * sum, 'real(8) and integer(8)')

contains

  pure type(bytes) function add_bytes(p, q)
    type(bytes), intent(in) :: p, q
    add_bytes = bytes(p%a + q%a, p%b + q%b, p%c + q%c)
  end function

  pure type(floats) function add_floats(p, q)
    type(floats), intent(in) :: p, q
    add_floats = floats(p%x + q%x, p%y + q%y)
  end function

  pure type(three) function add_three(p, q)
    type(three), intent(in) :: p, q
    add_three = three(p%x + q%x, p%y + q%y, p%z + q%z)
  end function

  pure type(doubles) function add_doubles(p, q)
    type(doubles), intent(in) :: p, q
    add_doubles = doubles(p%x + q%x, p%y + q%y)
  end function

  pure type(mixed) function add_mixed(p, q)
    type(mixed), intent(in) :: p, q
    add_mixed = mixed(p%i + q%i, p%x + q%x)
  end function

  pure type(turned) function add_turned(p, q)
    type(turned), intent(in) :: p, q
    add_turned = turned(p%x + q%x, p%i + q%i)
  end function
end program
