! Each image accesses a coarray of 16 MiB, its own and that of its neighbour. Image 1 prints how much memory the images use, in KiB.
program memory
    use, intrinsic :: iso_fortran_env
    implicit none
    real(real64), allocatable :: x(:)[:], y(:)
    integer(int64) :: used
    allocate (x(2 * 1024**2)[*], y(2 * 1024**2))
    x = this_image()
    sync all
    y = x(:)[1 + mod(this_image(), num_images())]
    sync all
    used = own_memory()
    call co_sum(used)
    if (this_image() == 1) print "(i0)", used
    sync all
contains
    ! The share of this image in what all processes use.
    integer(int64) function own_memory()
        character(80) :: line
        integer :: unit, status
        own_memory = 0
        open (newunit=unit, file="/proc/self/smaps_rollup", action="read", iostat=status)
        if (status /= 0) error stop "no sizes"
        do
            read (unit, "(a)", iostat=status) line
            if (status /= 0) exit
            if (line(1:4) == "Pss:") read (line(5:index(line, "kB") - 1), *) own_memory
        end do
        close (unit)
    end function
end program
