!> Events in arrays of several dimensions and codimensions, and in modules.
module gates
  use, intrinsic :: iso_fortran_env, only: event_type
  implicit none
  type(event_type) :: of_module(2)[*]
end module

program places
  use checks
  use gates
  implicit none
  type(event_type) :: grid(2, 2)[2, *]
  type(event_type), allocatable :: later(:)[:]
  integer :: me, n, k, found

  me = this_image(); n = num_images()
  allocate (later(-3:-1)[5:*])
  do k = 1, n
    event post (grid(2, 1)[1 + mod(k - 1, 2), 1 + (k - 1) / 2])
    event post (later(-2)[4 + k])
    event post (of_module(2)[k])
  end do
  event wait (grid(2, 1), until_count=n)
  event wait (later(-2), until_count=n)
  event wait (of_module(2), until_count=n)
  sync all
  call event_query(grid(1, 2), found); call require_equal(found, 0, 'another element')
  call event_query(later(-3), found); call require_equal(found, 0, 'the element before')
  call event_query(of_module(1), found); call require_equal(found, 0, 'the first element')
end program
