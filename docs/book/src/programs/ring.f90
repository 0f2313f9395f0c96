module ring_module
  use, intrinsic :: iso_c_binding
  implicit none
  integer, save :: value[*] = 0
contains
  subroutine ring() bind(C)
    value[1 + mod(this_image(), num_images())] = this_image()
    sync all
    print '(a, i0, a, i0)', 'image ', this_image(), ' received ', value
    flush (6)
  end subroutine
end module
