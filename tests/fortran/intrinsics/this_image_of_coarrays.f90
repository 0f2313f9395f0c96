!> THIS_IMAGE of a coarray gives cosubscripts, all or one, also of components and in specification expressions.
program this_image_of_coarrays
  use checks
  implicit none
  type t
    integer, allocatable :: field(:)[:, :]
  end type
  integer :: a[2, 2, *], b(5)[-3:*]
  type(t) :: object
  integer :: me, cosub(3)

  me = this_image()
  cosub = this_image(a)
  call require(all(cosub == [1 + mod(me - 1, 2), 1 + mod((me - 1) / 2, 2), 1 + (me - 1) / 4]), 'all cosubscripts')
  call require(this_image(a, 1) == cosub(1) .and. this_image(a, 2) == cosub(2) .and. this_image(a, dim=3) == cosub(3), 'one')
  call require_equal(this_image(b, 1), me - 4, 'lower bound')
  call require_equal(size(this_image(b)), 1, 'size')
  allocate (object%field(2)[3, *])
  call require(all(this_image(object%field) == [1 + mod(me - 1, 3), 1 + (me - 1) / 3]), 'component')
  call sized(b)

contains

  subroutine sized(x)
    integer, intent(in) :: x(5)[*]
    integer :: local(this_image(x, 1) + num_images())
    call require_equal(size(local), me + num_images(), 'specification expression')
  end subroutine
end program
