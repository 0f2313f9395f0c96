!> co_reduce of derived types of 2, 12, 16 and 40 bytes: each size is returned in another way.
program co_reduce_derived
  use checks
  implicit none
  type tiny
    integer(1) :: low, high
  end type
  type small
    integer :: smallest, largest, where_largest
  end type
  type pair
    real(8) :: value
    integer(8) :: index
  end type
  type large
    real(8) :: sums(4)
    integer :: count
  end type
  type(tiny) :: t
  type(small) :: s, list(5)
  type(pair) :: p
  type(large) :: g
  integer :: me, n, i

  me = this_image(); n = num_images()
  t = tiny(int(me, 1), int(me, 1))
  call co_reduce(t, join_tiny)
  call require(t%low == 1 .and. t%high == n, '2 bytes')
  s = small(-me, 10 * me, me)
  call co_reduce(s, join_small)
  call require(s%smallest == -n .and. s%largest == 10 * n .and. s%where_largest == n, '12 bytes')
  list = [(small(me + i, me * i, me), i = 1, 5)]
  call co_reduce(list, join_small)
  do i = 1, 5
    call require(list(i)%smallest == 1 + i .and. list(i)%largest == n * i .and. list(i)%where_largest == n, 'array')
  end do
  p = pair(0.5d0 * me, me)
  call co_reduce(p, join_pair)
  call require(p%value == 0.5d0 * n .and. p%index == n, '16 bytes')
  g = large([1d0, 2d0, 3d0, 4d0] * me, 1)
  call co_reduce(g, join_large, result_image=1)
  if (me == 1) then
    call require(all(g%sums == [1d0, 2d0, 3d0, 4d0] * (n * (n + 1) / 2)) .and. g%count == n, '40 bytes')
  end if

contains

  pure type(tiny) function join_tiny(a, b)
    type(tiny), intent(in) :: a, b
    join_tiny = tiny(min(a%low, b%low), max(a%high, b%high))
  end function

  pure type(small) function join_small(a, b)
    type(small), intent(in) :: a, b
    join_small = merge(a, b, a%largest >= b%largest)
    join_small%smallest = min(a%smallest, b%smallest)
  end function

  pure type(pair) function join_pair(a, b)
    type(pair), intent(in) :: a, b
    join_pair = merge(a, b, a%value >= b%value)
  end function

  pure type(large) function join_large(a, b)
    type(large), intent(in) :: a, b
    join_large = large(a%sums + b%sums, a%count + b%count)
  end function
end program
