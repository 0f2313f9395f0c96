!> CO_REDUCE by another function, and CO_BROADCAST of another type, on image 2 than on the others: the case is the first argument.
program operations
  implicit none
  integer :: image, one, many(1000)
  real :: real_one, real_many(1000), real_long(20000)
  integer :: long(20000)
  character(len=10) :: what

  call get_command_argument(1, what)
  one = this_image()
  many = this_image()
  select case (what)
  case ('one')
    if (this_image() == 2) then
      call co_reduce(one, product_of)
    else
      call co_reduce(one, sum_of)
    end if
  case ('many')
    if (this_image() == 2) then
      call co_reduce(many, product_of)
    else
      call co_reduce(many, sum_of)
    end if
  case ('type')
    if (this_image() == 2) then
      call co_broadcast(real_one, 1)
    else
      call co_broadcast(one, 1)
    end if
  case ('types')
    if (this_image() == 2) then
      call co_broadcast(real_many, 1)
    else
      call co_broadcast(many, 1)
    end if
  case ('long types')
    if (this_image() == 2) then
      call co_broadcast(real_long, 1)
    else
      long = 0
      call co_broadcast(long, 1)
    end if
  case ('alike')
    ! Two statements with one function.
    if (this_image() == 2) then
      call co_reduce(one, sum_of)
      call co_reduce(many, product_of)
    else
      call co_reduce(one, sum_of)
      call co_reduce(many, product_of)
    end if
    if (one /= num_images() * (num_images() + 1) / 2) error stop 'sum'
    if (any(many /= product([(image, image = 1, num_images())]))) error stop 'product'
    sync all
    if (this_image() == 1) print '(a)', 'good'
  end select
contains
  pure integer function sum_of(x, y)
    integer, intent(in) :: x, y
    sum_of = x + y
  end function

  pure integer function product_of(x, y)
    integer, intent(in) :: x, y
    product_of = x * y
  end function
end program operations
