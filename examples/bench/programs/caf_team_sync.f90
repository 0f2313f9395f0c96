!> Rows of teams without data: synchronising groups of images in three ways, and what a team costs.
module caf_team_sync
  use, intrinsic :: iso_fortran_env, only: team_type
  use caf_timing, only: images, me, measure, selected
  implicit none
  private
  public :: run_team_sync, run_team_construction

  !> The most forms of a team in a batch: some MPIs give up after some thousands of communicators, and
  !> OpenCoarrays gives none back.
  integer, parameter :: most_forms = 100

  type(team_type), save :: team
  !> The other images of this image's group.
  integer, allocatable, save :: others(:)

contains

  !> sync_all with 0; sync_team and sync_images with 2, 4, 8 ... images in a group, all groups at once.
  subroutine run_team_sync()
    integer :: members, first, last, image
    call measure('sync_all', 0, all_images)
    members = 2
    do while (members <= images)
      if (selected('sync_team', members)) then
        form team (group(members), team)
        call measure('sync_team', members, one_team)
      end if
      first = (group(members) - 1)*members + 1
      last = min(first + members - 1, images)
      others = pack([(image, image=first, last)], [(image /= me, image=first, last)])
      call measure('sync_images', members, one_group)
      members = 2*members
    end do
  end subroutine run_team_sync

  !> form_team, change_team (with its end team), form_change_end: with two teams from four images on.
  subroutine run_team_construction()
    if (selected('form_team', 0)) call measure('form_team', 0, form, most_forms)
    if (selected('form_change_end', 0)) call measure('form_change_end', 0, form_change_end, most_forms)
    if (selected('change_team', 0)) then
      form team (group(max(2, images/2)), team)
      call measure('change_team', 0, change_end)
    end if
  end subroutine run_team_construction

  !> Number of this image's group when groups have so many images, in order.
  integer function group(members)
    integer, intent(in) :: members
    group = (me - 1)/members + 1
  end function group

  subroutine all_images(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      sync all
    end do
  end subroutine all_images

  subroutine one_team(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      sync team (team)
    end do
  end subroutine one_team

  subroutine one_group(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      sync images (others)
    end do
  end subroutine one_group

  subroutine form(n)
    integer, intent(in) :: n
    type(team_type) :: fresh
    integer :: i
    do i = 1, n
      form team (group(max(2, images/2)), fresh)
    end do
  end subroutine form

  subroutine change_end(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      change team (team)
      end team
    end do
  end subroutine change_end

  subroutine form_change_end(n)
    integer, intent(in) :: n
    type(team_type) :: fresh
    integer :: i
    do i = 1, n
      form team (group(max(2, images/2)), fresh)
      change team (fresh)
      end team
    end do
  end subroutine form_change_end

end module caf_team_sync
