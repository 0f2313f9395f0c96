!> Inquiries about coarrays concern the local one: size, shape, bounds, allocated, kind, length, storage_size, contiguity.
program inquiries
  use checks
  implicit none
  type t
    integer :: i
    real(8) :: x
  end type
  integer(2) :: a(0:4, 3)[*]
  character(7) :: s(2)[*]
  type(t) :: object[*]
  complex(8), allocatable :: z(:)[:, :]

  call require(size(a) == 15 .and. size(a, 1) == 5 .and. all(shape(a) == [5, 3]), 'size')
  call require(all(lbound(a) == [0, 1]) .and. all(ubound(a) == [4, 3]) .and. rank(a) == 2, 'bounds')
  call require(kind(a) == 2 .and. len(s) == 7 .and. kind(z) == 8, 'kind and length')
  call require(storage_size(a) == 16 .and. storage_size(object) == 128 .and. storage_size(s) == 56, 'storage_size')
  call require(is_contiguous(a) .and. .not. is_contiguous(a(::2, :)), 'is_contiguous')
  call require(.not. allocated(z), 'not allocated')
  allocate (z(this_image() * 0 + 4)[2, 0:*])
  call require(allocated(z) .and. size(z) == 4 .and. rank(z) == 1, 'allocated')
  call require(huge(a) == 32767 .and. precision(z) == 15, 'numbers')
end program
