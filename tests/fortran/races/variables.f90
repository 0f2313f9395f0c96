! Statements of image 1 whose variables the libraries read or write, then an access of image 2 to the same memory, or the reverse. With the argument
! "racy" nothing orders them, with "ordered" SYNC IMAGES does. The comments mark the statements.
program variables
    use steps
    use turns
    implicit none
    type :: boxed
        integer, allocatable :: list(:)
    end type
    type :: pointed
        integer, pointer :: at(:)
    end type
    type :: row
        integer :: count, weight
    end type
    type(boxed) :: box[*]
    type(row) :: rows(3)[*]
    type(pointed) :: view[*]
    integer, target :: t(10)[*]
    integer :: x[*], y(4)[*], grid(2, 3)[*], status[*], posts[*], partners(1)[*], at(2), got
    integer, allocatable :: spare(:)
    character(4) :: names(3)[*], least
    logical :: mask[*], taken[*], no
    type(event_type) :: event[*]
    type(lock_type) :: guard[*]
    character(80) :: lines(6), report[*]
    integer, allocatable :: large(:)[:]
    character(16) :: kind, mode
    namelist /all/ x, y
    namelist /parts/ rows

    call get_command_argument(1, kind)
    call get_command_argument(2, mode)
    ordered = mode == "ordered"
    x = 1
    y = 2
    grid = reshape([3, 1, 4, 1, 5, 9], [2, 3])
    status = 0
    posts = 0
    partners = this_image()
    names = ["four", "five", "nine"]
    mask = .true.
    taken = .false.
    no = .false.
    t = 3
    allocate (box%list(4), source=1)
    allocate (spare(4), source=2)
    view%at => t(1:4)
    lines = ""
    rows = row(1, 1)
    report = "none"
    lines(1:2) = [character(80) :: "&all", "x = 7 /"]
    lines(3:6) = [character(80) :: "&all", "y(1) = 7 /", "&parts", "rows(2)%count = 7 /"]
    if (kind == "unnamed") lines(2) = "y(2) = 7 /"
    sync all

    select case (kind)
    case ("namelist_write")
        if (me() == 1) write (lines, nml=all) ! first namelist_write
        call after_first()
        if (me() == 2) y(3)[1] = 5 ! second namelist_write
    case ("namelist_read")
        if (me() == 1) read (lines, nml=all) ! first namelist_read
        call after_first()
        if (me() == 2) got = x[1] ! second namelist_read
    case ("namelist_late")
        if (me() == 2) y(1)[1] = 5 ! first namelist_late
        if (ordered) sync images (3 - me())
        if (me() == 2) call next()
        if (me() == 1) call await(1)
        if (me() == 1) read (lines(3:4), nml=all) ! second namelist_late
    case ("namelist_part")
        if (me() == 1) read (lines(5:6), nml=parts) ! first namelist_part
        call after_first()
        if (me() == 2) got = rows(2)[1]%count ! second namelist_part
    case ("scalar_mask")
        if (me() == 1) at = maxloc(grid, mask=mask) ! first scalar_mask
        call after_first()
        if (me() == 2) grid(2, 2)[1] = 8 ! second scalar_mask
    case ("mask_itself")
        if (me() == 1) at = maxloc(grid, mask=mask) ! first mask_itself
        call after_first()
        if (me() == 2) mask[1] = .false. ! second mask_itself
    case ("sought")
        if (me() == 1) at = findloc(grid, 9, mask=grid > 1) ! first sought
        call after_first()
        if (me() == 2) grid(2, 3)[1] = 8 ! second sought
    case ("characters")
        if (me() == 1) least = minval(names) ! first characters
        call after_first()
        if (me() == 2) names(2)[1] = "zero" ! second characters
    case ("stat")
        if (me() == 1) sync memory (stat=status) ! first stat
        call after_first()
        if (me() == 2) got = status[1] ! second stat
    case ("acquired")
        if (me() == 1) lock (guard, acquired_lock=taken, stat=status) ! first acquired
        call after_first()
        if (me() == 2) got = status[1] ! second acquired
        if (me() == 1) unlock (guard)
    case ("count")
        if (me() == 1) call event_query(event, posts) ! first count
        call after_first()
        if (me() == 2) got = posts[1] ! second count
    case ("list")
        if (me() == 1) sync images (partners) ! first list
        call after_first()
        if (me() == 2) partners(1)[1] = 2 ! second list
    case ("moved")
        if (me() == 1) call move_alloc(spare, box%list) ! first moved
        call after_first()
        if (me() == 2) got = box[1]%list(2) ! second moved
    case ("associated")
        if (me() == 1) view%at => t(5:8) ! first associated
        call after_first()
        if (me() == 2) got = view[1]%at(2) ! second associated
    case ("sum_message")
        if (me() == 1) call refused(report)
        if (me() == 2) call refused(lines(1))
        call after_first()
        if (me() == 2) lines(2) = report[1] ! second sum_message
    case ("allocate_message")
        if (me() == 2) lines(2) = report[1] ! first allocate_message
        if (ordered) sync images (3 - me())
        if (me() == 2) call next()
        if (me() == 1) call await(1)
        allocate (large(2_8**56)[*], stat=got, errmsg=report) ! second allocate_message
        if (got == 0 .or. report == "none") error stop "allocated"
    case ("no_message")
        if (me() == 1) call accepted(report)
        if (me() == 2) call accepted(lines(1))
        call after_first()
        if (me() == 2) lines(2) = report[1]
    case ("false_mask")
        if (me() == 1) at = maxloc(grid, mask=no)
        call after_first()
        if (me() == 2) grid(2, 2)[1] = 8
    case ("other_part")
        if (me() == 1) read (lines(5:6), nml=parts)
        call after_first()
        if (me() == 2) got = rows(2)[1]%weight + rows(1)[1]%count
    case ("unnamed")
        ! Input that does not name the variable.
        if (me() == 1) read (lines, nml=all)
        call after_first()
        if (me() == 2) x[1] = 5
    end select
    call after_second()
    sync all
    if (me() == 1) print "(a)", "done"

contains

    integer function me()
        me = this_image()
    end function

    ! gfortran passes the address of a variable of ERRMSG= whose length it does not know, and a copy of others.
    subroutine refused(message)
        character(*), intent(inout) :: message
        call co_sum(got, result_image=9, stat=at(1), errmsg=message) ! first sum_message
        if (at(1) == 0 .or. message == "none") error stop "no error"
    end subroutine

    subroutine accepted(message)
        character(*), intent(inout) :: message
        got = 0
        call co_sum(got, stat=at(1), errmsg=message)
    end subroutine
end program
