!> co_broadcast of objects of derived type, scalars, arrays and components.
program co_broadcast_derived
  use checks
  implicit none
  type inner
    integer(1) :: flag
    real(8) :: w(2)
  end type
  type outer
    character(5) :: name
    type(inner) :: parts(3)
    logical :: yes
  end type
  type(outer) :: one, many(7)
  integer :: me, n, source, i

  me = this_image(); n = num_images()
  do source = 1, n
    one = make(100 * me)
    many = [(make(10 * me + i), i = 1, 7)]
    call co_broadcast(one, source_image=source)
    call co_broadcast(many, source_image=source)
    call require(same(one, make(100 * source)), 'scalar')
    do i = 1, 7
      call require(same(many(i), make(10 * source + i)), 'array')
    end do
    one = make(me)
    call co_broadcast(one%parts(2)%flag, source)
    call co_broadcast(one%name, source)
    call require(one%parts(2)%flag == make_flag(source) .and. one%name == make_name(source), 'components')
    call require(all(one%parts(2)%w == [2d0 * me, -1d0 * me]), 'beside the components')
    call require(one%parts(1)%flag == make_flag(me), 'a component of another element')
  end do

contains

  pure integer(1) function make_flag(k)
    integer, intent(in) :: k
    make_flag = int(mod(k, 100), 1)
  end function

  pure character(5) function make_name(k)
    integer, intent(in) :: k
    make_name = 'n' // achar(iachar('a') + mod(k, 26))
  end function

  pure type(outer) function make(k)
    integer, intent(in) :: k
    integer :: j
    make%name = make_name(k)
    do j = 1, 3
      make%parts(j) = inner(make_flag(k), [1d0 * j * k, -1d0 * k])
    end do
    make%yes = mod(k, 3) == 0
  end function

  logical function same(a, b)
    type(outer), intent(in) :: a, b
    integer :: j
    same = a%name == b%name .and. (a%yes .eqv. b%yes)
    do j = 1, 3
      same = same .and. a%parts(j)%flag == b%parts(j)%flag .and. all(a%parts(j)%w == b%parts(j)%w)
    end do
  end function
end program
