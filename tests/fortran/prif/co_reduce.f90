! co_reduce by operation wrappers: not commutative, of a type, with data of the program.
module wrappers
  use with_prif
  implicit none

  !> Products of these do not commute.
  type, bind(C) :: matrix
    integer(c_int64_t) :: a(2, 2)
  end type

contains

  subroutine multiply(left, right_and_out, count, data) bind(C)
    type(c_ptr), value, intent(in) :: left, right_and_out, data
    integer(c_size_t), value, intent(in) :: count
    type(matrix), pointer :: x(:), y(:)
    integer(c_int64_t), pointer :: modulus
    integer :: i

    call c_f_pointer(left, x, [count])
    call c_f_pointer(right_and_out, y, [count])
    call c_f_pointer(data, modulus)
    do i = 1, int(count)
      y(i)%a = modulo(matmul(x(i)%a, y(i)%a), modulus)
    end do
  end subroutine
end module

program co_reduce
  use wrappers
  implicit none
  integer(c_int64_t), target :: modulus
  procedure(prif_operation_wrapper_interface), pointer :: operation
  type(matrix), target :: values(3), expected(3), few(2)
  integer(c_int) :: stat
  integer :: image, i
  character(len=30) :: errmsg
  character(len=:), allocatable :: errmsg_alloc

  operation => multiply
  modulus = 1000003
  expected = of_image(1)
  do image = 2, num_images()
    values = of_image(image)
    do i = 1, 3
      expected(i)%a = modulo(matmul(expected(i)%a, values(i)%a), modulus)
    end do
  end do

  values = of_image(this_image())
  call prif_co_reduce(values, operation, c_loc(modulus))
  call require(all_equal(values, expected), 'prif_co_reduce')
  values = of_image(this_image())
  call prif_co_reduce(values(1:3:2), operation, c_loc(modulus), images(), stat, errmsg, errmsg_alloc)
  call is_fine(stat, 'prif_co_reduce')
  if (me() == images()) call require(all_equal(values(1:3:2), expected(1:3:2)), 'prif_co_reduce to one image')

  values = of_image(this_image())
  call prif_co_reduce_cptr(c_loc(values), 32_c_size_t, 3_c_size_t, operation, c_loc(modulus))
  call require(all_equal(values, expected), 'prif_co_reduce_cptr')
  few = values(1:2)
  values = of_image(this_image())
  call prif_co_reduce_cptr(c_loc(values), 32_c_size_t, 2_c_size_t, operation, c_loc(modulus), 1_c_int, stat, errmsg, &
    errmsg_alloc)
  call is_fine(stat, 'prif_co_reduce_cptr')
  if (me() == 1) call require(all_equal(values(1:2), few), 'prif_co_reduce_cptr to one image')

contains

  function of_image(image) result(made)
    integer, intent(in) :: image
    type(matrix) :: made(3)
    integer :: i
    do i = 1, 3
      made(i)%a = reshape([1 + image, i, 2 * image, 3 + i], [2, 2])
    end do
  end function

  logical function all_equal(found, wanted)
    type(matrix), intent(in) :: found(:), wanted(:)
    integer :: i
    all_equal = all([(all(found(i)%a == wanted(i)%a), i = 1, size(found))])
  end function
end program
