! One pair of statements of images 1 and 2, which nothing orders, that accesses two variables; then the end that is asked for.
program alike
    use turns
    implicit none
    integer :: known(2)[*], new(2)[*], got
    character(8) :: ending
    call get_command_argument(1, ending)
    known = 0
    new = 0
    sync all
    if (this_image() == 1) then
        call put(known)
        call put(new)
        call next()
    else
        call await(1)
        got = taken(known)
        got = got + taken(new)
    end if
    if (ending == "error" .and. this_image() == 2) error stop "wrong"
    sync all
contains
    subroutine put(to)
        integer, intent(inout) :: to(2)[*]
        to(1) = 1 ! put
    end subroutine

    integer function taken(from)
        integer, intent(in) :: from(2)[*]
        taken = from(1)[1] ! taken
    end function
end program
