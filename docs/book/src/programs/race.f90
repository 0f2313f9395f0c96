program race
    implicit none
    integer :: u(0:10)[*], right, total
    u = this_image()
    sync all
    right = modulo(this_image(), num_images()) + 1
    u(0)[right] = u(10)
    total = sum(u)
    sync all
    if (this_image() == 1) print "(a, i0)", "total: ", total
end program
