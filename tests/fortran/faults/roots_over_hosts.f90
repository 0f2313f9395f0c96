!> One image names another source or result image of a collective than the others do. Arguments: the collective, the index of that
!> image, the index that it names, the index that the others name, the team, and whether the statements have `stat=`.
program roots_over_hosts
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  character(20) :: arguments(6)
  integer :: other, its, root, i
  type(team_type) :: team

  do i = 1, 6
    call get_command_argument(i, arguments(i))
  end do
  read (arguments(2:4), *) other, its, root
  sync all
  select case (arguments(5))
  case ('initial')
    call differ
  case ('whole')
    form team (1, team)
    change team (team)
      call differ
    end team
  case ('part')
    ! Without the first image.
    form team (merge(1, 2, this_image() == 1), team)
    change team (team)
      if (team_number() == 2) call differ
    end team
  end select
  sync all
  if (this_image() == 1) print '(a)', 'good'
contains
  subroutine differ
    integer :: status, me, n, round
    real(8) :: few(1), many(3000), most(100000)

    me = this_image()
    n = num_images()
    do round = 1, 2
      few = me
      many = me
      most = me
      if (arguments(6) == 'stat') then
        call operate(merge(its, root, me == other), few, many, most, status)
        if (all(status /= [0, 7000])) error stop 'another status of the collective'
        ! What follows up to the barrier may be refused.
        few = 1
        call co_sum(few, stat=status)
        sync all (stat=status)
        if (status /= 7000) then
          print '(2(a, i0))', 'sync all: status ', status, ' on image ', me
          error stop
        end if
        sync all (stat=status)
        if (status /= 0) error stop 'the second sync all has an error'
      else
        call operate(merge(its, root, me == other), few, many, most)
        sync all
        if (me == 1) print '(a)', 'not found'
      end if
      few = me
      call co_broadcast(few, n)
      if (few(1) /= n) error stop 'wrong broadcast'
      few = me
      call co_sum(few, result_image=1)
      if (me == 1 .and. few(1) /= n * (n + 1) / 2) error stop 'wrong sum on one image'
      many = me
      call co_sum(many)
      if (any(many /= n * (n + 1) / 2)) error stop 'wrong sum'
      most = me
      call co_broadcast(most, 1)
      if (any(most /= 1)) error stop 'wrong long broadcast'
      sync all
    end do
  end subroutine

  subroutine operate(image, few, many, most, status)
    integer, intent(in) :: image
    real(8), intent(inout) :: few(:), many(:), most(:)
    integer, optional, intent(out) :: status
    integer :: at
    select case (arguments(1))
    case ('broadcast')
      call co_broadcast(few, image, stat=status)
    case ('many broadcast')
      call co_broadcast(many, image, stat=status)
    case ('long broadcast')
      call co_broadcast(most, image, stat=status)
    case ('sum')
      call co_sum(few, result_image=image, stat=status)
    case ('many sum')
      call co_sum(many, result_image=image, stat=status)
    case ('long sum')
      call co_sum(most, result_image=image, stat=status)
    case ('several')
      do at = 1, 5
        call co_broadcast(few, image, stat=status)
        call co_sum(many, result_image=image, stat=status)
      end do
    end select
  end subroutine
end program
