! Two pairs of statements of images 1 and 2 that nothing orders, in three passes of a loop. The comments mark the statements.
program several
    use turns
    implicit none
    integer :: x[*], work(4)[*], pass, got
    x = 0
    work = 0
    sync all ! start
    do pass = 1, 3
        if (this_image() == 1) then
            x = pass ! first x
            work(2) = pass ! first work
            call next()
            call await(2 * pass)
        else if (this_image() == 2) then
            call await(2 * pass - 1)
            got = x[1] ! second x
            work(2)[1] = got ! second work
            call next()
        end if
        sync all ! end of pass
    end do
    if (this_image() == 1) print "(a)", "done"
end program
