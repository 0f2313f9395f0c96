! Descriptors as values of their type: in variables, as arguments and in components, of modules and procedures.
module held
  implicit none
  include 'xmp_lib.h'
  !$xmp nodes p(*)
  !$xmp template t(20)
  !$xmp distribute t(block) onto p
  real :: a(20)
  !$xmp align a(i) with t(i)
  type holder
    type(xmp_desc) :: of
  end type
contains
  integer function dims_of(of)
    type(xmp_desc), intent(in) :: of
    integer, external :: xmp_array_ndims
    integer :: status
    status = xmp_array_ndims(of, dims_of)
    if (status /= 0) stop 1
  end function
end module

program descriptors
  use held
  implicit none
  integer, external :: xmp_nodes_size, xmp_array_ndims
  type(xmp_desc) :: nodes
  type(holder) :: one
  integer :: status, images, same, dims
  nodes = xmp_desc_of(p)
  status = xmp_nodes_size(nodes, 1, images)
  if (status /= 0 .or. images /= num_images()) stop 2
  status = xmp_nodes_size(xmp_desc_of (p), 1, same)
  if (status /= 0 .or. same /= images) stop 3
  one%of = xmp_desc_of(a)
  status = xmp_array_ndims(one%of, dims)
  if (status /= 0 .or. dims /= 1) stop 4
  if (dims_of(xmp_desc_of(a)) /= 1 .or. dims_of(one%of) /= 1) stop 5
  call outside(nodes, images)
  call outside(xmp_desc_of(p), images)
end program

subroutine outside(nodes, images)
  implicit none
  include 'xmp_lib.h'
  type(xmp_desc) :: nodes, template
  integer :: images, size, status
  integer, external :: xmp_nodes_size, xmp_template_ndims
  !$xmp nodes q(*)
  !$xmp template u(8, 8)
  !$xmp distribute u(*, block) onto q
  status = xmp_nodes_size(nodes, 1, size)
  if (status /= 0 .or. size /= images) stop 6
  template = xmp_desc_of(u)
  status = xmp_template_ndims(template, size)
  if (status /= 0 .or. size /= 2) stop 7
end subroutine
