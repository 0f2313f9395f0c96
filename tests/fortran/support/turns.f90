! The order in time of statements of several images, which nothing orders by the standard.
module turns
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env
    implicit none
    integer(atomic_int_kind) :: turn[*] = 0
    interface
        ! Other processes get the processor.
        integer(c_int) function usleep(microseconds) bind(c)
            import c_int
            integer(c_int), value :: microseconds
        end function
    end interface
contains
    ! Atomic subroutines order the statements in time only, without SYNC MEMORY around them.
    subroutine next()
        call atomic_add(turn[1], 1)
    end subroutine

    subroutine await(number)
        integer, intent(in) :: number
        integer(atomic_int_kind) :: now
        integer(c_int) :: unused
        do
            call atomic_ref(now, turn[1])
            if (now >= number) exit
            unused = usleep(1000)
        end do
    end subroutine
end module

! The same for pairs of statements of images 1 and 2, which nothing orders, or SYNC IMAGES.
module steps
    use turns
    implicit none
    logical :: ordered
contains
    ! Image 1 has executed its statement: the one of image 2 comes next.
    subroutine after_first()
        if (this_image() > 2) return
        if (ordered) sync images (3 - this_image())
        if (this_image() == 1) call next()
        if (this_image() == 2) call await(1)
    end subroutine

    ! Image 2 has executed its statement.
    subroutine after_second()
        if (this_image() == 2) call next()
        if (this_image() == 1) call await(2)
    end subroutine
end module
