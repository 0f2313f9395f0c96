! A signal kills the program.
program killed
    use, intrinsic :: iso_c_binding
    implicit none
    interface
        integer(c_int) function raise(number) bind(c)
            import c_int
            integer(c_int), value :: number
        end function
    end interface
    integer(c_int) :: unused
    unused = raise(9_c_int)
end program
