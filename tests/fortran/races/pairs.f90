! An access of image 1, then one of image 2, to memory of one of three images, and what the images execute in between. The arguments
! name the accesses, the image with the memory, and what is in between.
program pairs
    use turns
    implicit none
    integer(atomic_int_kind) :: x[*], flag[*], y
    integer :: total, me
    type(event_type) :: ready[*]
    type(lock_type) :: mutex[*]
    type(team_type) :: halves
    integer, allocatable :: other(:)[:]
    character(32) :: first, second, between
    integer :: owner

    me = this_image()
    call get(1, first)
    call get(2, second)
    call get(3, between)
    read (between, *) owner
    call get(4, between)
    x = 0
    flag = 0
    y = 0
    total = 1
    ! Images 1 and 2, or 1 and 3.
    form team (merge(1, 2, me == 1 .or. (me == 2 .eqv. between == "same_team")), halves)
    sync all
    if (me == 1) then
        call act(first)
        call execute()
        call next()
    else if (me == 2) then
        if (is_late()) call await(1)
        call execute()
        call await(1)
        call act(second)
        call next()
    else
        call execute()
    end if
    if (me /= 2) call await(2)
    sync all
    if (me == 1) print "(a)", "done"

contains

    subroutine get(number, text)
        integer, intent(in) :: number
        character(*), intent(out) :: text
        call get_command_argument(number, text)
    end subroutine

    subroutine act(what)
        character(*), intent(in) :: what
        select case (what)
        case ("load")
            y = x
        case ("store")
            x = 7
        case ("get")
            y = x[owner]
        case ("put")
            x[owner] = 7
        case ("reference")
            call atomic_ref(y, x[owner])
        case ("define")
            call atomic_define(x[owner], 7)
        end select
    end subroutine

    ! Whether image 2 executes what is in between after image 1.
    logical function is_late()
        is_late = any(between == [character(8) :: "critical", "lock"])
    end function

    subroutine execute()
        integer :: now, status
        integer(atomic_int_kind) :: seen
        select case (between)
        case ("sync_all")
            sync all
        case ("sync_images", "with_stat")
            if (me < 3) sync images (3 - me, stat=status)
        case ("through_3")
            if (me == 3) sync images (1)
            if (me == 3) sync images (2)
            if (me < 3) sync images (3)
        case ("through_3_back")
            if (me == 3) sync images (2)
            if (me == 3) sync images (1)
            if (me < 3) sync images (3)
        case ("event")
            if (me == 1) event post (ready[2])
            if (me == 2) event wait (ready)
        case ("event_back")
            if (me == 2) event post (ready[1])
            if (me == 1) event wait (ready)
        case ("event_query")
            if (me == 1) event post (ready[2])
            now = 0
            do while (me == 2 .and. now == 0)
                call event_query(ready, now)
            end do
        case ("flag_memory", "flag")
            if (me == 1 .and. between == "flag_memory") sync memory
            if (me == 1) call atomic_define(flag[2], 1)
            seen = 0
            do while (me == 2 .and. seen == 0)
                call atomic_ref(seen, flag)
            end do
            if (me == 2 .and. between == "flag_memory") sync memory
        case ("memory")
            sync memory
        case ("same_team", "other_team")
            change team (halves)
                sync team (halves)
            end team
        case ("collective")
            call co_sum(total)
        case ("allocation")
            allocate (other(3)[*])
            deallocate (other)
        case ("critical")
            if (me < 3) call exclude()
        case ("lock")
            if (me < 3) lock (mutex[3])
            if (me < 3) unlock (mutex[3])
        case ("two_locks")
            lock (mutex)
            unlock (mutex)
        end select
    end subroutine

    subroutine exclude()
        critical
            total = total + 1
        end critical
    end subroutine
end program
