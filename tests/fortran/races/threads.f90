! The threads of image 1 write a coarray in a parallel loop, then image 2 puts into it. With the argument "ordered" the images synchronise
! in between. The comments mark the statements.
program threads
    use turns
    implicit none
    integer(8) :: x(1000)[*], i
    character(8) :: mode
    call get_command_argument(1, mode)
    x = 0
    sync all
    if (this_image() == 1) then
        !$omp parallel do num_threads(4)
        do i = 1, size(x)
            x(i) = i ! first
        end do
        if (mode == "ordered") sync images (2)
        call next()
    else
        if (mode == "ordered") sync images (1)
        call await(1)
        x(777)[1] = 0 ! second
    end if
    sync all
    if (this_image() == 1) print "(a)", "done"
end program
