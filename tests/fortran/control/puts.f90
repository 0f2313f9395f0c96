! Puts of 8 bytes to this image, as many as the argument says: what one of them costs.
program puts
    implicit none
    real(8) :: a(10)[*]
    character(20) :: argument
    integer :: i, count, me

    call get_command_argument(1, argument)
    read (argument, *) count
    me = this_image()
    do i = 1, count
        a(3)[me] = i
    end do
end program
