!> Image 2 of 4 ends at the statement that the first argument names, in the way that the second one says: it stops or is killed
!> before it executes the statement, or is killed while it waits in it. Images 2 and 4 are a team, 1 and 3 another.
program teams_and_ends
  use victim
  use, intrinsic :: iso_fortran_env, only: team_type, output_unit, stat_failed_image, stat_stopped_image
  implicit none
  integer, parameter :: who = 2, early = 40, late = 120
  character(20) :: point, way
  type(team_type) :: team, inner
  integer, allocatable :: w(:)[:]
  integer :: me, k, x, status, its_process

  call get_command_argument(1, point)
  call get_command_argument(2, way)
  me = this_image()
  its_process = process()
  call co_broadcast(its_process, source_image=who)
  form team (5, team)
  change team (team)
    form team (1 + mod(me, 2), inner)
    sync all
    if (point == 'form') then
      call fate(1)
      form team (2, inner)
    end if
    if (point == 'change') call fate(4)
    change team (inner)
      select case (point)
      case ('sync')
        call fate(4)
        sync team (inner)
      case ('sync-outer')
        call fate(1)
        sync team (team)
      case ('sync-all')
        call fate(4)
        sync all
      case ('allocate')
        call fate(4)
        call allocate_w()
      case ('deallocate')
        call allocate_w()
        call fate(4)
        deallocate (w)
      case ('end')
        call allocate_w()
        call fate(4)
      case ('collectives')
        ! The other team is not concerned, and need not know.
        if (mod(me, 2) == 1) then
          do k = 1, 3000
            x = 1
            call co_sum(x)
            if (x /= 2) error stop 'co_sum'
            sync all
          end do
        else
          call fate(4)
          status = 0
          do while (status == 0)
            x = 1
            call co_sum(x, stat=status)
          end do
          if (status /= merge(stat_stopped_image, stat_failed_image, way == 'stop')) error stop 'stat of co_sum'
          sync all (stat=status)
          if (status == 0) error stop 'stat of sync all'
          print '(a)', 'reported: 4'
          flush (output_unit)
          call nap(late)
          stop
        end if
      end select
    end team
    if (point == 'collectives') then
      print '(a, i0)', 'went on: ', me
      flush (output_unit)
      call nap(late)
      stop
    end if
    call co_sum(x)
    sync all
  end team
  print '(a)', 'went on'

contains

  ! Not in the construct: gfortran 16 crashes at ALLOCATE in SELECT CASE in a CHANGE TEAM construct.
  subroutine allocate_w()
    allocate (w(100)[*])
  end subroutine

  !> The end of image 2; `last` is late, so that the others wait.
  subroutine fate(last)
    integer, intent(in) :: last

    if (me == who) then
      if (way == 'stop') stop
      if (way == 'kill') call die_now()
      if (way == 'kill-within') call die_after(early)
    else if (me == last) then
      if (way == 'stop') then
        call nap(late)
      else
        call until_gone(its_process)
      end if
    end if
  end subroutine
end program
