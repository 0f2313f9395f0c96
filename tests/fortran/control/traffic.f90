! Traffic whose numbers are known, for tests of traces and reports. The comments name the statements. With an argument image 1
! ends all images by ERROR STOP.
program traffic
    use, intrinsic :: iso_fortran_env, only: event_type, lock_type, team_type
    implicit none
    real(8) :: a(100)[*]
    real(8), allocatable :: b(:)[:]
    type(event_type) :: ready[*]
    type(lock_type) :: guard[*]
    type(team_type) :: pair
    real(8) :: s
    integer :: me, n, i, next

    me = this_image()
    n = num_images()
    next = mod(me, n) + 1
    allocate (b(1000)[*])                         ! allocate
    a = me
    sync all                                      ! start
    do i = 1, 3
        a(1:10)[next] = real(i, 8)                ! put
    end do
    if (me == 1) call sleep_for(0.2d0)
    if (me == 1 .and. command_argument_count() > 0) error stop 3  ! error
    sync all                                      ! late
    s = a(5)[next]                                ! get
    call co_sum(s)                                ! sum
    event post (ready[next])                      ! post
    event wait (ready)                            ! wait
    lock (guard[1])                               ! lock
    unlock (guard[1])                             ! unlock
    form team (2 - mod(me, 2), pair)              ! form
    change team (pair)                            ! change
        a(1)[this_image()] = me                   ! put to itself
        a(2)[num_images()] = me                   ! put in a team
        sync all                                  ! within
    end team
    deallocate (b)                                ! deallocate
    sync images (*)                               ! images

contains

    subroutine sleep_for(seconds)
        real(8), intent(in) :: seconds
        integer(8) :: start, now, rate
        call system_clock(start, rate)
        do
            call system_clock(now)
            if (real(now - start, 8) / rate >= seconds) exit
        end do
    end subroutine
end program
