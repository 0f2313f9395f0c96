!> A field that is spread over images, for programs in other languages.
module field
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_loc, c_ptr
  implicit none
  private
  real(c_double), allocatable, target :: u(:)[:]
contains
  !> Makes n cells on each image, and one beside them at each end. Returns where they are.
  function field_make(n) result(memory) bind(c)
    integer(c_int), value :: n
    type(c_ptr) :: memory
    allocate (u(0:n + 1)[*], source=0.0_c_double)
    memory = c_loc(u(0))
  end function field_make

  !> Gets the cells at both ends from the neighbours; at the ends of the field they are this image's own.
  subroutine field_exchange() bind(c)
    integer :: me, n
    me = this_image()
    n = ubound(u, 1) - 1
    u(0) = u(1)
    u(n + 1) = u(n)
    sync all
    if (me > 1) u(0) = u(n)[me - 1]
    if (me < num_images()) u(n + 1) = u(1)[me + 1]
    sync all
  end subroutine field_exchange

  integer(c_int) function field_image() bind(c)
    field_image = this_image()
  end function field_image

  !> The sum over all images.
  function field_sum(mine) result(total) bind(c)
    real(c_double), value :: mine
    real(c_double) :: total
    total = mine
    call co_sum(total)
  end function field_sum
end module field
