program race
    implicit none
    integer :: total[*]
    total = 0
    sync all
    total[1] = total[1] + this_image()
    sync all
    if (this_image() == 1) print "(a, i0)", "total: ", total
end program
