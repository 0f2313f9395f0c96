! Pairs of accesses by two images, the first before the second in time. With the argument "racy" nothing orders them, with
! "ordered" the program has what it lacks otherwise, or the accesses do not conflict. The comments mark the statements.
program races
    use turns
    implicit none
    type :: boxed
        integer, allocatable :: list(:)
    end type
    integer :: x(10)[*], z(10)[*], y, w(10), count
    character :: c(16)[*]
    integer(atomic_int_kind) :: flag[*]
    type(event_type) :: ready[*]
    type(lock_type) :: mutex[*]
    type(team_type) :: halves
    type(boxed) :: box[*]
    integer, allocatable :: grid(:, :)[:]
    character(32) :: kind, mode
    logical :: ordered
    integer :: me

    me = this_image()
    call get_command_argument(1, kind)
    call get_command_argument(2, mode)
    ordered = mode == "ordered"
    allocate (grid(0:4, -1:3)[*])
    allocate (box%list(5))
    sync all

    select case (kind)
    case ("put_put")
        if (me == 1) x(2)[3] = 1 ! first put_put
        call next_and_sync()
        if (me == 2) x(2)[3] = 2 ! second put_put
    case ("put_get")
        if (me == 1) x(2)[3] = 1 ! first put_get
        call next_and_sync()
        if (me == 2) y = x(2)[3] ! second put_get
    case ("get_put")
        if (me == 1) y = x(2)[3] ! first get_put
        call next_and_sync()
        if (me == 2) x(2)[3] = 5 ! second get_put
    case ("wrong_partner")
        if (me == 1) then
            x(1)[2] = 1 ! first wrong_partner
            sync images (3)
        else if (me == 3) then
            sync images (1)
            if (ordered) sync images (2)
            call next()
        else
            if (ordered) sync images (3)
            call await(1)
            y = x(1)[2] ! second wrong_partner
        end if
    case ("event_query")
        if (me == 1) then
            x(:)[2] = 1 ! first event_query
            event post (ready[2])
        else if (me == 2) then
            do
                call event_query(ready, count)
                if (count > 0) exit
            end do
            if (ordered) event wait (ready)
            w = x(:)[2] ! second event_query
        end if
    case ("lock")
        if (me == 1) then
            lock (mutex[1])
            x(1)[3] = 1 ! first lock
            unlock (mutex[1])
            call next()
        else if (me == 2) then
            call await(1)
            if (ordered) lock (mutex[1])
            x(1)[3] = 2 ! second lock
            if (ordered) unlock (mutex[1])
        end if
    case ("critical")
        if (me == 1) then
            call add()
            call next()
        else if (me == 2) then
            call await(1)
            if (ordered) call add()
            if (.not. ordered) y = x(1)[3] ! second critical
        end if
    case ("strides")
        if (me == 1) then
            x(1:9:2)[3] = 1 ! first strides
            call next()
        else if (me == 2) then
            call await(1)
            if (ordered) x(2:10:4)[3] = 2
            if (.not. ordered) x(2:10:3)[3] = 2 ! second strides
        end if
    case ("columns")
        if (me == 1) then
            grid(:, 1)[3] = 1 ! first columns
            call next()
        else if (me == 2) then
            call await(1)
            if (ordered) w(:5) = grid(:, 2)[3]
            if (.not. ordered) w(:5) = grid(2, :)[3] ! second columns
        end if
    case ("bytes")
        if (me == 1) then
            c(3)[3] = "a" ! first bytes
            call next()
        else if (me == 2) then
            call await(1)
            if (ordered) c(4:9)[3] = "b"
            if (.not. ordered) c(2:9)[3] = "b" ! second bytes
        end if
    case ("team")
        if (me == 3 .and. ordered) x(4)[1] = 3
        form team (merge(1, 2, me <= 2), halves)
        if (me == 3 .and. .not. ordered) x(4)[1] = 3 ! first team
        call next()
        change team (halves)
            if (me == 2) then
                call await(3)
                x(4)[1] = 2 ! second team
            end if
        end team
    case ("numbers")
        form team (merge(1, 2, me == 1), halves)
        change team (halves)
            if (me == 2) x(5)[1] = 2 ! first numbers
            if (ordered) sync team (halves)
            call next()
            if (me == 3) then
                call await(2)
                x(5)[1] = 3 ! second numbers
            end if
        end team
    case ("own_image")
        if (me == 3) x(1)[3] = 7 ! first own_image
        call next_and_sync()
        if (me == 1) x(1)[3] = 8 ! second own_image
    case ("atomic")
        if (me == 1) call atomic_define(flag[3], 1) ! first atomic
        call next_and_sync()
        if (me == 2) flag[3] = 2 ! second atomic
    case ("atomics")
        if (me == 1) flag[3] = 1 ! first atomics
        call next_and_sync()
        if (me == 2) call atomic_define(flag[3], 2) ! second atomics
    case ("sync_memory")
        if (me == 1) then
            x(1)[3] = 1 ! first sync_memory
            if (ordered) sync memory
            call next()
        else if (me == 2) then
            call await(1)
            sync memory
            y = x(1)[3] ! second sync_memory
        end if
    case ("component")
        if (me == 1) box[3]%list(2) = 4 ! first component
        call next_and_sync()
        if (me == 2) y = box[3]%list(2) ! second component
    case ("collective")
        if (me == 1) x(1)[3] = 4 ! first collective
        y = me
        call co_sum(y)
        if (ordered) sync all
        if (me == 2) y = x(1)[3] ! second collective
    case ("local_side")
        if (me == 1) z(2:4) = x(2:4)[3] ! first local_side
        call next_and_sync()
        if (me == 2) z(3)[1] = 3 ! second local_side
    case ("between_images")
        if (me == 1) z(2)[2] = x(2)[3] ! first between_images
        call next_and_sync()
        if (me == 3) x(2)[3] = 3 ! second between_images
    case ("stat")
        if (me == 1) x(2)[3] = 1 ! first stat
        call next_and_sync()
        if (me == 2) y = x(2)[3, stat=count] ! second stat
    case default
        error stop "unknown kind"
    end select
    sync all
    if (me == 1) print "(a)", "done"

contains

    ! Images 2 and 3 come after image 1, and image 1 after image 3.
    subroutine next_and_sync()
        if (ordered) then
            sync all
        else if (kind == "own_image") then
            if (me == 3) call next()
            if (me == 1) call await(1)
        else
            if (me == 1) call next()
            if (me > 1) call await(1)
        end if
    end subroutine

    subroutine add()
        critical
            x(1)[3] = x(1)[3] + 1 ! first critical
        end critical
    end subroutine
end program
