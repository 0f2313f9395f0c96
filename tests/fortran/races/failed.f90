! Image 2 fails within a segment in which it has accessed coarrays, and perhaps holds a lock. The others go on: with the argument
! "racy" images 1, 3 and 4 race with one another. The comments mark those statements. With "lost" they put to image 2.
program failed
    use, intrinsic :: iso_fortran_env
    implicit none
    integer :: x(4)[*], counter[*], status, me, next, pass, total
    type(lock_type) :: guard[*]
    character(8) :: mode
    call get_command_argument(1, mode)
    me = this_image()
    x = 0
    counter = 0
    sync all
    if (me == 2) then
        select case (mode)
        case ("lock")
            lock (guard[1])
            counter[1] = counter[1] + 1
        case default
            x(2)[3] = me
            x(3) = me
        end select
        fail image
    end if
    if (mode == "lock") then
        ! STAT_UNLOCKED_FAILED_IMAGE is no error here.
        lock (guard[1], stat=status)
        counter[1] = counter[1] + 1
        unlock (guard[1])
    end if
    sync all (stat=status)
    if (mode == "lost") x(1:2)[2, stat=status] = me
    next = merge(3, merge(1, 4, me == 4), me == 1)
    do pass = 1, 3
        x(1)[next] = pass ! first
        if (mode == "racy") total = x(1) ! second
        sync all (stat=status)
        total = x(1)
        if (total /= pass) error stop "lost"
        sync all (stat=status)
    end do
    if (me == 1) print "(a)", "done"
end program
