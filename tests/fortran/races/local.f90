! Loads and stores of image 1, then an access of image 2 to the same memory. With the argument "racy" nothing orders them, with
! "ordered" SYNC IMAGES does. The comments mark the statements.
module work
    implicit none
    type :: boxed
        integer :: count = 0
        real, allocatable :: list(:)
    end type
    type(boxed), save :: box[*]
    type :: pointed
        integer :: count = 0
        integer, pointer :: at(:)
    end type
    type(pointed), save :: views[*]
    type :: rack
        integer :: shelves = 0
        type(boxed), allocatable :: boxes(:)
    end type
    type(rack), save :: racks(2)[*]
contains
    subroutine set(v)
        integer, intent(inout) :: v(:)
        v(4) = 1 ! first dummy
    end subroutine

    subroutine set_explicit(v, n)
        integer, intent(in) :: n
        integer, intent(inout) :: v(n)
        v(4) = 1 ! first explicit
    end subroutine
end module

program local
    use steps
    use work
    implicit none
    integer :: x(10)[*], w(10), i, unit
    ! What is only read into it is read all the same.
    integer, volatile :: y
    real(8), allocatable :: grid(:, :)[:]
    real(8) :: column(4)
    real :: r[*]
    character(16) :: c[*], d
    character :: b(16)[*]
    logical :: mask(4)[*]
    integer(atomic_int_kind) :: flag[*], numbers(3)[*]
    complex(8) :: z(1)[*]
    integer, pointer :: p(:)
    integer, target, save :: t(10)[*]
    type(lock_type) :: mutex[*]
    type(team_type) :: halves
    type(boxed) :: own
    type(rack) :: own_racks(2)
    type(pointed) :: own_view
    character(32) :: kind, mode, text

    call get_command_argument(1, kind)
    call get_command_argument(2, mode)
    ordered = mode == "ordered"
    allocate (grid(4, 4)[*])
    allocate (box%list(5), racks(2)%boxes(3))
    allocate (racks(2)%boxes(2)%list(5), source=0.0)
    x = 0
    t = 0
    grid = 0
    box%list = 0
    c = "none"
    z = 0
    w = 0
    mask = .false.
    flag = 0
    numbers = 0
    sync all

    select case (kind)
    case ("write_put")
        if (me() == 1) x(2) = 1 ! first write_put
        call after_first()
        if (me() == 2) x(2)[1] = 2 ! second write_put
    case ("read_put")
        if (me() == 1) y = x(2) + 1 ! first read_put
        call after_first()
        if (me() == 2) x(2)[1] = 2 ! second read_put
    case ("write_get")
        if (me() == 1) x(2) = 1 ! first write_get
        call after_first()
        if (me() == 2) y = x(2)[1] ! second write_get
    case ("whole")
        if (me() == 1) x = 0 ! first whole
        call after_first()
        if (me() == 2) x(1)[1] = 2 ! second whole
    case ("loop")
        if (me() == 1) then
            do i = 1, 10
                x(i) = i ! first loop
            end do
        end if
        call after_first()
        if (me() == 2) w(3:5) = x(3:5)[1] ! second loop
    case ("matrix")
        if (me() == 1) grid(2, :) = grid(2, :) + 1 ! first matrix
        call after_first()
        if (me() == 2) column = grid(:, 3)[1] ! second matrix
    case ("character")
        if (me() == 1) c = "owner" ! first character
        call after_first()
        if (me() == 2) d = c[1] ! second character
    case ("complex")
        if (me() == 1) z(1) = (1, 2) ! first complex
        call after_first()
        if (me() == 2) z(1)[1] = (3, 4) ! second complex
    case ("print")
        if (me() == 1) write (text, *) x(2) ! first print
        call after_first()
        if (me() == 2) x(2)[1] = 2 ! second print
    case ("print_array")
        if (me() == 1) write (text, "(10i2)") x(::3) ! first print_array
        call after_first()
        if (me() == 2) x(4)[1] = 2 ! second print_array
    case ("read")
        text = "5"
        if (me() == 1) read (text, *) x(2) ! first read
        call after_first()
        if (me() == 2) y = x(2)[1] ! second read
    case ("internal_write")
        if (me() == 1) write (c, "(i2)") 42 ! first internal_write
        call after_first()
        if (me() == 2) d = c[1] ! second internal_write
    case ("internal_read")
        if (me() == 1) read (c, "(a)") text ! first internal_read
        call after_first()
        if (me() == 2) c[1] = "other" ! second internal_read
    case ("compare")
        if (me() == 1) y = merge(1, 0, c == text) ! first compare
        call after_first()
        if (me() == 2) c[1] = "other" ! second compare
    case ("mask")
        column = 0
        if (me() == 1) y = size(pack(column, mask)) ! first mask
        call after_first()
        if (me() == 2) mask(2)[1] = .true. ! second mask
    case ("strided_sum")
        if (me() == 1) call co_sum(x(1:9:2)) ! first strided_sum
        if (me() /= 1) call co_sum(w(1:5))
        call after_first()
        if (me() == 2) x(3)[1] = 2 ! second strided_sum
    case ("beside_sum")
        ! Between the elements of the argument.
        if (me() == 1) call co_sum(x(1:9:2))
        if (me() /= 1) call co_sum(w(1:5))
        call after_first()
        if (me() == 2) x(4)[1] = 2
    case ("shift")
        if (me() == 1) w = cshift(x, 3) ! first shift
        call after_first()
        if (me() == 2) x(9)[1] = 2 ! second shift
    case ("random")
        if (me() == 1) call random_number(r) ! first random
        call after_first()
        if (me() == 2) r[1] = 2 ! second random
    case ("nested")
        if (me() == 1) racks(2)%boxes(2)%list(3) = 1 ! first nested
        call after_first()
        if (me() == 2) racks(2)[1]%boxes(2)%list(3) = 2 ! second nested
    case ("inner")
        if (me() == 1) racks(2)%boxes(3)%count = 1 ! first inner
        call after_first()
        if (me() == 2) racks(2)[1]%boxes(3)%count = 2 ! second inner
    case ("component")
        if (me() == 1) box%count = box%count + 1 ! first component
        call after_first()
        if (me() == 2) box[1]%count = 7 ! second component
    case ("allocatable")
        if (me() == 1) box%list(2:3) = 1 ! first allocatable
        call after_first()
        if (me() == 2) box[1]%list(3) = 7 ! second allocatable
    case ("atomic_value")
        if (me() == 1) call atomic_ref(numbers(2), flag[2]) ! first atomic_value
        call after_first()
        if (me() == 2) y = numbers(2)[1] ! second atomic_value
    case ("atomic_operand")
        if (me() == 1) call atomic_add(flag[2], numbers(3)) ! first atomic_operand
        call after_first()
        if (me() == 2) numbers(3)[1] = 2 ! second atomic_operand
    case ("atomic_old")
        if (me() == 1) call atomic_cas(flag[2], numbers(1), 0, 1) ! first atomic_old
        call after_first()
        if (me() == 2) numbers(1)[1] = 2 ! second atomic_old
    case ("whole_object")
        if (me() == 1) box%list(3) = 1 ! first whole_object
        call after_first()
        if (me() == 2) own = box[1] ! second whole_object
    case ("whole_array")
        if (me() == 1) racks(2)%boxes(2)%list(3) = 1 ! first whole_array
        call after_first()
        if (me() == 2) own_racks = racks(:)[1] ! second whole_array
    case ("pointee")
        ! The target of a pointer is not read with the object.
        views%at => t(2:)
        sync all
        if (me() == 1) t(3) = 1
        call after_first()
        if (me() == 2) own_view = views[1]
    case ("dummy")
        if (me() == 1) call set(x)
        call after_first()
        if (me() == 2) x(4)[1] = 2 ! second dummy
    case ("explicit")
        if (me() == 1) call set_explicit(x(2:), 9)
        call after_first()
        if (me() == 2) x(5)[1] = 2 ! second explicit
    case ("pointer")
        p => t(2:)
        if (me() == 1) p(2) = 1 ! first pointer
        call after_first()
        if (me() == 2) t(3)[1] = 2 ! second pointer
    case ("lock")
        if (me() == 1) then
            lock (mutex)
            x(1) = 1 ! first lock
            unlock (mutex)
            call next()
            call await(2)
        else if (me() == 2) then
            call await(1)
            if (ordered) lock (mutex[1])
            x(1)[1] = 2 ! second lock
            if (ordered) unlock (mutex[1])
            call next()
        end if
    case ("team")
        form team (merge(1, 2, me() <= 2), halves)
        change team (halves)
            if (num_images() == 2) then
                if (this_image() == 1) x(3) = 1 ! first team
                if (ordered) sync team (halves)
                if (this_image() == 1) call next_of_initial()
                if (this_image() == 2) call await_initial(1)
                if (this_image() == 2) x(3)[1] = 2 ! second team
            end if
        end team
    case ("sum")
        if (me() == 1) call co_sum(x) ! first sum
        if (me() /= 1) call co_sum(x)
        call after_first()
        if (me() == 2) x(4)[1] = 2 ! second sum
    case ("broadcast")
        if (me() == 1) call co_broadcast(x, 2) ! first broadcast
        if (me() /= 1) call co_broadcast(x, 2)
        call after_first()
        if (me() == 2) y = x(4)[1] ! second broadcast
    case ("neighbours")
        ! Parts of one word: no race.
        if (me() == 1) b(1:3) = "a"
        call after_first()
        if (me() == 2) b(4:5)[1] = "d"
    case ("source")
        ! The source of a broadcast is only read.
        call co_broadcast(x, 1)
        call after_first()
        if (me() == 2) y = x(4)[1]
    case ("reuse")
        ! DEALLOCATE and ALLOCATE order what the memory is used for.
        if (me() == 2) grid(1, 1)[1] = 1
        deallocate (grid)
        allocate (grid(4, 4)[*])
        if (me() == 1) grid = 2
        call after_first()
    case ("reduce")
        ! What the operation accesses is the library's affair.
        x = me()
        call co_reduce(x, larger)
        sync all
        if (any(x /= num_images())) error stop "wrong result"
        call after_first()
    end select
    call after_second()
    sync all
    if (me() == 1) print "(a)", "done"

contains

    integer function me()
        me = this_image()
    end function

    pure integer function larger(a, b)
        integer, intent(in) :: a, b
        larger = max(a, b)
    end function

    subroutine next_of_initial()
        call next()
    end subroutine

    subroutine await_initial(number)
        integer, intent(in) :: number
        call await(number)
    end subroutine
end program
