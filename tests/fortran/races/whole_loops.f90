! Image 1 executes a loop over elements of its coarray, while image 2 defines one of them, or one beside them. The arguments name the
! loop and the element.
program whole_loops
    implicit none
    real(8) :: x(100)[*], total
    logical :: is_last(100)
    character(32) :: what, text
    integer :: element

    call get_command_argument(1, what)
    call get_command_argument(2, text)
    read (text, *) element
    x = 1
    total = 0
    is_last = .false.
    is_last(40) = .true.
    sync all
    if (this_image() == 1) then
        select case (what)
        case ("up")
            call up(x, 10, 90)
        case ("down")
            call down(x, 90, 10)
        case ("odd")
            call odd(x, 99)
        case ("section")
            call define(x(10:90:8))
        case ("backwards")
            call define(x(90:10:-8))
        case ("one")
            call one(x, 50)
        case ("none")
            call up(x, 10, element_of(9))
        case ("some")
            call some(x, 90)
        case ("until")
            call until(x)
        case ("matrix")
            call matrix(x, 10)
        end select
    else if (this_image() == 2) then
        x(element)[1] = 2
    end if
    sync all
    if (this_image() == 1) print "(a)", "done"
    if (total < 0) print *, total

contains

    ! Not known to the compiler.
    integer function element_of(number)
        integer, intent(in) :: number
        element_of = number + merge(1, 0, what == "else")
    end function

    subroutine up(a, first, last)
        real(8), intent(in) :: a(*)
        integer, intent(in) :: first, last
        integer :: i
        do i = first, last
            total = total + a(i) ! up
        end do
    end subroutine

    subroutine down(a, first, last)
        real(8), intent(inout) :: a(*)
        integer, intent(in) :: first, last
        integer :: i
        do i = first, last, -1
            a(i) = 3 ! down
        end do
    end subroutine

    subroutine odd(a, last)
        real(8), intent(inout) :: a(*)
        integer, intent(in) :: last
        integer :: i
        do i = 1, last, 2
            a(i) = 3 ! odd
        end do
    end subroutine

    subroutine define(a)
        real(8), intent(inout) :: a(:)
        integer :: i
        do i = 1, size(a)
            a(i) = 3 ! section
        end do
    end subroutine

    subroutine one(a, at)
        real(8), intent(inout) :: a(*)
        integer, intent(in) :: at
        integer :: i
        do i = 1, element_of(9)
            a(at) = a(at) + sqrt(real(i, 8)) ! one
        end do
    end subroutine

    subroutine some(a, last)
        real(8), intent(inout) :: a(*)
        integer, intent(in) :: last
        integer :: i
        do i = 1, last
            if (mod(i, 3) == 0) a(i) = 3 ! some
        end do
    end subroutine

    subroutine until(a)
        real(8), intent(inout) :: a(*)
        integer :: i
        do i = 1, 100
            if (is_last(i)) exit
            a(i) = 3 ! until
        end do
    end subroutine

    subroutine matrix(a, n)
        integer, intent(in) :: n
        real(8), intent(inout) :: a(n, n)
        integer :: i, j
        do j = 2, n - 1
            do i = 2, n - 1
                a(i, j) = 3 ! matrix
            end do
        end do
    end subroutine
end program
