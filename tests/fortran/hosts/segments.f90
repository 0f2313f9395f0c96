!> A host has segments of 64 MiB, the others larger ones: what does not fit on one fits nowhere.
program segments
  use checks
  implicit none
  real(8), allocatable :: large(:)[:], small(:)[:]
  integer :: status, refused

  allocate (large(96 * 131072)[*], stat=status)
  refused = merge(1, 0, status /= 0)
  call co_sum(refused)
  call require_equal(refused, num_images(), 'images that were refused')
  call require(.not. allocated(large), 'allocated')
  allocate (small(131072)[*])
  small(1) = this_image()
  sync all
  call require(nint(small(1)[right_of(this_image())]) == right_of(this_image()), 'a request that can be met')
end program
