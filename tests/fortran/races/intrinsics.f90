! Statements of image 1 whose variables libgfortran reads or writes besides those that they are about, then an access of image 2 to the
! same memory. With the argument "racy" nothing orders them, with "ordered" SYNC IMAGES does. The comments mark the statements.
program intrinsics
    use steps
    use turns
    implicit none
    type :: boxed
        integer, allocatable :: list(:)
    end type
    type(boxed) :: box[*]
    integer :: x(4)[*], status[*], shifts(2)[*], bits[*], seeds(64)[*], grid(2, 3), flat(6), got, unit
    character(8) :: text[*], other, words(3), two(2)
    character(40) :: message[*], line
    character(4) :: form[*]
    logical :: mask(3)[*], is_there[*]
    character(16) :: kind, mode

    call get_command_argument(1, kind)
    call get_command_argument(2, mode)
    ordered = mode == "ordered"
    x = 1
    shifts = 1
    status = 0
    bits = 5
    seeds = 7
    grid = 2
    text = "bcd"
    other = "abc"
    words = ["one  ", "two  ", "three"]
    message = "none"
    form = "(i4)"
    mask = [.true., .false., .true.]
    is_there = .false.
    allocate (box%list(4), source=1)
    sync all

    select case (kind)
    case ("greatest")
        if (me() == 1) other = max(other, "x", text) ! first greatest
        call after_first()
        if (me() == 2) text[1] = "y" ! second greatest
    case ("date")
        if (me() == 1) call date_and_time(date=text) ! first date
        call after_first()
        if (me() == 2) other = text[1] ! second date
    case ("from_bits")
        if (me() == 1) call mvbits(bits, 0, 2, got, 4) ! first from_bits
        call after_first()
        if (me() == 2) bits[1] = 8 ! second from_bits
    case ("to_bits")
        if (me() == 1) call mvbits(got, 0, 2, bits, 4) ! first to_bits
        call after_first()
        if (me() == 2) got = bits[1] ! second to_bits
    case ("seed_read")
        if (me() == 1) call random_seed(put=seeds) ! first seed_read
        call after_first()
        if (me() == 2) seeds(2)[1] = 8 ! second seed_read
    case ("seed_written")
        if (me() == 1) call random_seed(get=seeds) ! first seed_written
        call after_first()
        if (me() == 2) got = seeds(2)[1] ! second seed_written
    case ("argument")
        if (me() == 1) call get_command_argument(2, text, length=status) ! first argument
        call after_first()
        if (me() == 2) other = text[1] ! second argument
    case ("environment")
        if (me() == 1) call get_environment_variable("HOME", line, length=status) ! first environment
        call after_first()
        if (me() == 2) got = status[1] ! second environment
    case ("shifts")
        if (me() == 1) grid = cshift(grid, shifts, dim=2) ! first shifts
        call after_first()
        if (me() == 2) shifts(2)[1] = 2 ! second shifts
    case ("filled")
        if (me() == 1) flat = reshape([5, 6], [6], pad=x) ! first filled
        call after_first()
        if (me() == 2) x(3)[1] = 2 ! second filled
    case ("chosen_words")
        if (me() == 1) two = pack(words, mask) ! first chosen_words
        call after_first()
        if (me() == 2) mask(1)[1] = .false. ! second chosen_words
    case ("iostat")
        if (me() == 1) read (other, "(i4)", iostat=status) got ! first iostat
        call after_first()
        if (me() == 2) got = status[1] ! second iostat
    case ("iomsg")
        if (me() == 1) read (other, "(i4)", iostat=got, iomsg=message) unit ! first iomsg
        call after_first()
        if (me() == 2) line = message[1] ! second iomsg
    case ("format")
        if (me() == 1) write (line, form) got ! first format
        call after_first()
        if (me() == 2) form[1] = "(i5)" ! second format
    case ("new_unit")
        if (me() == 1) open (newunit=status, status="scratch") ! first new_unit
        call after_first()
        if (me() == 2) got = status[1] ! second new_unit
    case ("inquire")
        if (me() == 1) inquire (file="/", exist=is_there) ! first inquire
        call after_first()
        if (me() == 2) mask(1) = is_there[1] ! second inquire
    case ("inquire_text")
        if (me() == 1) inquire (unit=output_unit, sequential=text) ! first inquire_text
        call after_first()
        if (me() == 2) other = text[1] ! second inquire_text
    case ("inquire_late")
        if (me() == 1) inquire (unit=output_unit, decimal=text) ! first inquire_late
        call after_first()
        if (me() == 2) other = text[1] ! second inquire_late
    case ("file")
        if (me() == 1) open (newunit=unit, file=text, status="old", iostat=got) ! first file
        call after_first()
        if (me() == 2) text[1] = "b" ! second file
    case ("stat_of_get")
        if (me() == 1) got = x(2)[2, stat=status] ! first stat_of_get
        call after_first()
        if (me() == 2) got = status[1] ! second stat_of_get
    case ("stat_of_list")
        if (me() == 1) got = box[2, stat=status]%list(2) ! first stat_of_list
        call after_first()
        if (me() == 2) got = status[1] ! second stat_of_list
    case ("no_error")
        if (me() == 1) read (text, "(a)", iostat=got, iomsg=message) other
        call after_first()
        if (me() == 2) line = message[1]
    end select
    call after_second()
    sync all
    if (me() == 1) print "(a)", "done"

contains

    integer function me()
        me = this_image()
    end function
end program
