! The threads of image 1 write a coarray in a parallel loop, then image 2 puts into it; with a second argument they add to an element
! atomically, and image 2 gets it. With the first argument "ordered" the images synchronise in between. The comments mark the statements.
program threads
    use turns
    implicit none
    integer(8) :: x(1000)[*], i
    real(8) :: sum[*], got
    character(8) :: mode, kind
    call get_command_argument(1, mode)
    call get_command_argument(2, kind)
    x = 0
    sum = 0
    sync all
    if (this_image() == 1) then
        if (kind == "atomic") then
            !$omp parallel do num_threads(4)
            do i = 1, 100
                !$omp atomic ! first atomic
                sum = sum + 1
            end do
        else
            !$omp parallel do num_threads(4)
            do i = 1, size(x)
                x(i) = i ! first
            end do
        end if
        if (mode == "ordered") sync images (2)
        call next()
    else
        if (mode == "ordered") sync images (1)
        call await(1)
        if (kind == "atomic") then
            got = sum[1] ! second atomic
            if (got < 0) error stop
        else
            x(777)[1] = 0 ! second
        end if
    end if
    sync all
    if (this_image() == 1) print "(a)", "done"
end program
