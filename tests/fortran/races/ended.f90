! Image 1 ends the job while image 2, which has no image control statement any more, computes without end. The comments mark the two
! statements of a race.
program ended
    use turns
    implicit none
    integer :: x(4)[*], got
    integer, volatile :: passes
    x = 0
    sync all
    if (this_image() == 1) then
        x(2)[2] = 5 ! first
        call next()
        call await(2)
        error stop 3
    end if
    call await(1)
    got = x(2) ! second
    call next()
    passes = got
    do
        passes = passes + 1
    end do
end program
