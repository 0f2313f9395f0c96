!> Images that name different source or result images, as the first argument says, and what they do next, as the second one says.
program sources
  use, intrinsic :: iso_fortran_env, only: team_type, event_type
  implicit none
  character(20) :: what, next
  real(8) :: few(1), many(2000)
  real(8), allocatable :: c(:)[:]
  integer :: me, status
  type(team_type) :: team

  call get_command_argument(1, what)
  call get_command_argument(2, next)
  me = this_image()
  few = me
  many = me
  sync all
  select case (what)
  case ('few')
    call co_broadcast(few, me)
  case ('many')
    call co_broadcast(many, me)
  case ('often')
    do status = 1, 100
      call co_broadcast(few, merge(me, 1, status == 50))
    end do
  case ('result')
    call co_sum(few, result_image=1 + mod(me, num_images()))
  case ('swapped')
    ! Image 3 names the result images in another order.
    if (me == 3) then
      call co_sum(few, result_image=2)
      call co_sum(few, result_image=1)
    else
      call co_sum(few, result_image=1)
      call co_sum(few, result_image=2)
    end if
  case ('another')
    call co_sum(few, result_image=merge(2, 1, me == 3))
  case ('team')
    form team (1, team)
    change team (team)
      call co_broadcast(few, this_image())
    end team
  case ('one')
    if (me == 1) call co_broadcast(few, 1)
  case ('nothing')
    call co_broadcast(few, 2)
    call co_sum(many, result_image=1)
  end select

  select case (next)
  case ('sync all')
    sync all
  case ('stat')
    sync all (stat=status)
    print '(a, i0)', 'status ', status
    call co_broadcast(few, 2)
    sync all
    if (few(1) /= merge(2d0, few(1), what == 'few')) error stop 'wrong broadcast'
    stop
  case ('co_sum')
    call co_sum(few)
  case ('allocate')
    allocate (c(10)[*])
  case ('form team')
    form team (1, team)
  case ('stop')
    stop
  case ('exit')
    call exit(3) ! exit
  end select
  ! Without another statement the end of the program finds it.
  if (next /= 'end' .and. what /= 'nothing') print '(a)', 'not found'
end program
