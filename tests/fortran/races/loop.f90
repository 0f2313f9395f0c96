! A halo exchange without the synchronisation that keeps a neighbour's next put from the values that are still read.
program loop
    use turns
    implicit none
    integer :: halo[*], pass, total
    total = 0
    halo = 0
    sync all
    do pass = 1, 2
        if (this_image() == 2) then
            if (pass > 1) call await(1)
            halo[1] = pass ! put
        end if
        sync all ! in between
        if (this_image() == 1) then
            total = total + halo ! read
            if (pass == 1) call next()
        end if
    end do
    sync all
    if (this_image() == 1) print "(a)", "done"
end program
