!> co_reduce of derived types within derived types, with arrays and characters inside, and of extended types.
program co_reduce_nested_types
  use checks
  implicit none
  type point
    real(8) :: x, y
  end type
  type named
    character(6) :: name
    type(point) :: corner(2)
    logical :: set
  end type
  type, extends(point) :: heavy
    integer :: mass
  end type
  type(named) :: a
  type(heavy) :: h, hs(4)
  integer :: me, n, sum, i

  me = this_image(); n = num_images(); sum = n * (n + 1) / 2
  a = named('image' // achar(iachar('0') + me), [point(me, 1), point(-me, 0)], me == n)
  call co_reduce(a, add_named)
  call require(a%name == 'image' // achar(iachar('0') + n), 'character: ' // a%name)
  call require(a%corner(1)%x == sum .and. a%corner(1)%y == n .and. a%corner(2)%x == -sum .and. a%corner(2)%y == 0, 'parts')
  call require(a%set, 'logical')
  h = heavy(x=me, y=2, mass=3 * me)
  call co_reduce(h, add_heavy)
  call require(h%x == sum .and. h%y == 2 * n .and. h%mass == 3 * sum, 'extended type')
  hs = [(heavy(x=i, y=me, mass=i * me), i = 1, 4)]
  call co_reduce(hs, add_heavy, result_image=n)
  if (me == n) call require(all(hs%mass == [1, 2, 3, 4] * sum) .and. all(hs%y == sum), 'array of extended type')

contains

  pure type(named) function add_named(p, q) result(r)
    type(named), intent(in) :: p, q
    r%name = max(p%name, q%name)
    r%corner%x = p%corner%x + q%corner%x
    r%corner%y = p%corner%y + q%corner%y
    r%set = p%set .or. q%set
  end function

  pure type(heavy) function add_heavy(p, q)
    type(heavy), intent(in) :: p, q
    add_heavy = heavy(x=p%x + q%x, y=p%y + q%y, mass=p%mass + q%mass)
  end function
end program
