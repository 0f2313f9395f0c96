!> co_reduce of derived types of 24 and 40 bytes, which functions return in memory.
program co_reduce_derived
  use checks
  implicit none
  type medium
    integer(8) :: smallest, largest, where_largest
  end type
  type large
    real(8) :: sums(4)
    integer :: count
  end type
  type(medium) :: m, list(5)
  type(large) :: g
  integer :: me, n, i

  me = this_image(); n = num_images()
  m = medium(-me, 10 * me, me)
  call co_reduce(m, join_medium)
  call require(m%smallest == -n .and. m%largest == 10 * n .and. m%where_largest == n, '24 bytes')
  list = [(medium(me + i, me * i, me), i = 1, 5)]
  call co_reduce(list, join_medium)
  do i = 1, 5
    call require(list(i)%smallest == 1 + i .and. list(i)%largest == n * i .and. list(i)%where_largest == n, 'array')
  end do
  g = large([1d0, 2d0, 3d0, 4d0] * me, 1)
  call co_reduce(g, join_large, result_image=1)
  if (me == 1) then
    call require(all(g%sums == [1d0, 2d0, 3d0, 4d0] * (n * (n + 1) / 2)) .and. g%count == n, '40 bytes')
  end if

contains

  pure type(medium) function join_medium(a, b)
    type(medium), intent(in) :: a, b
    join_medium = merge(a, b, a%largest >= b%largest)
    join_medium%smallest = min(a%smallest, b%smallest)
  end function

  pure type(large) function join_large(a, b)
    type(large), intent(in) :: a, b
    join_large = large(a%sums + b%sums, a%count + b%count)
  end function
end program
