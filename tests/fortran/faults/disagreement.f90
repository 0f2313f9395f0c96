!> Images that do not call the same, as the argument names, with XMP_CHECK=1.
program disagreement
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  character(30) :: operation
  real(8) :: values(12)
  integer :: status
  type(team_type) :: team

  call get_command_argument(1, operation)
  values = this_image()
  status = 0
  select case (operation)
  case ('sizes')
    if (this_image() == 3) then
      call co_sum(values)
    else
      call co_sum(values(1:10))
    end if
  case ('sizes-stat')
    if (this_image() == 3) then
      call co_sum(values, stat=status)
    else
      call co_sum(values(1:10), stat=status)
    end if
  case ('operations-stat')
    if (this_image() == 3) then
      sync all (stat=status)
    else
      call co_sum(values, stat=status)
    end if
  case ('form-team')
    if (this_image() == 3) then
      sync all
    else
      form team (1, team)
    end if
  case ('types')
    if (this_image() == 3) then
      call co_sum(status)
    else
      call co_sum(values)
    end if
  case ('collectives')
    if (this_image() == 3) then
      call co_broadcast(values, 1)
    else
      call co_max(values)
    end if
  case ('small-types')
    if (this_image() == 3) then
      call co_sum(status)
    else
      call co_sum(values(1))
    end if
  case ('nothing')
    form team (1 + mod(this_image(), 2), team)
    change team (team)
      call co_sum(values)
      sync team (team)
    end team
    if (any(values /= merge(4, 6, mod(this_image(), 2) == 1))) error stop 'wrong sum'
    call co_broadcast(values, 2)
    sync all
    if (any(values /= 6)) error stop 'wrong broadcast'
    print '(a)', 'good'
    stop
  case default
    error stop 'disagreement: unknown operation'
  end select
  if (any(values /= this_image())) error stop 'something was written'
  ! The images go on, in agreement.
  call co_sum(values)
  if (any(values /= 10)) error stop 'wrong sum'
  print '(a, i0)', 'status ', status
end program
