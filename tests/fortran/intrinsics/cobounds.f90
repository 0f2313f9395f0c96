!> LCOBOUND and UCOBOUND: with and without DIM, of other kinds, of static, allocatable and dummy coarrays.
program cobounds
  use checks
  implicit none
  integer :: a[-2:0, 4:4, 7:*]
  real, allocatable :: b(:)[:, :]
  integer :: n, last

  n = num_images()
  call require(all(lcobound(a) == [-2, 4, 7]), 'lcobound')
  last = 7 + (n + 2) / 3 - 1
  call require(all(ucobound(a) == [0, 4, last]), 'ucobound')
  call require(all(lcobound(a, kind=8) == [-2_8, 4_8, 7_8]) .and. kind(lcobound(a, 1, 8)) == 8, 'kind 8')
  call require(lcobound(a, 1) == -2 .and. ucobound(a, 2) == 4 .and. ucobound(a, dim=3) == last, 'one codimension')
  allocate (b(3)[0:1, -5:*])
  call require(all(lcobound(b) == [0, -5]) .and. all(ucobound(b) == [1, -5 + (n + 1) / 2 - 1]), 'allocatable')
  deallocate (b)
  allocate (b(3)[n, *])
  call require(all(lcobound(b) == 1) .and. all(ucobound(b) == [n, 1]), 'allocated again')
  call dummy(a, 2)

contains

  subroutine dummy(x, first)
    integer, intent(in) :: first
    integer, intent(inout) :: x[first:3, *]
    call require(all(lcobound(x) == [first, 1]) .and. all(ucobound(x) == [3, (n + 1) / 2]), 'dummy')
    call require_equal(image_index(x, [2, 1]), 1, 'image_index of a dummy')
  end subroutine
end program
