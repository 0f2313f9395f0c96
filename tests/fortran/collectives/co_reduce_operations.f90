!> The operation of co_reduce may be a module procedure, an internal one that reads variables of its host, or an
!> external one.
module operations
  implicit none

contains

  pure integer function add(a, b)
    integer, intent(in) :: a, b
    add = a + b
  end function
end module

pure integer function product_of(a, b)
  implicit none
  integer, intent(in) :: a, b
  product_of = a * b
end function

program co_reduce_operations
  use checks
  use operations
  implicit none
  interface
    pure integer function product_of(a, b)
      integer, intent(in) :: a, b
    end function
  end interface
  integer :: me, n, x, modulus, k, expected

  me = this_image(); n = num_images(); modulus = 7
  x = me
  call co_reduce(x, add)
  call require_equal(x, n * (n + 1) / 2, 'module procedure')
  x = 3 * me
  call co_reduce(x, add_modulo)
  call require_equal(x, modulo(3 * n * (n + 1) / 2, 7), 'internal procedure')
  expected = 1
  do k = 1, n
    expected = expected * k
  end do
  x = me
  call co_reduce(x, product_of)
  call require_equal(x, expected, 'external procedure')

contains

  pure integer function add_modulo(a, b)
    integer, intent(in) :: a, b
    add_modulo = modulo(modulo(a, modulus) + modulo(b, modulus), modulus)
  end function
end program
