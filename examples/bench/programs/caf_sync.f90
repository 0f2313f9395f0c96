!> Rows of the image control statements that move no data: sync all, sync images, sync memory, events.
module caf_sync
  use, intrinsic :: iso_fortran_env, only: event_type
  use caf_timing, only: images, me, measure, page, partner
  implicit none
  private
  public :: run_sync, run_events

  type(event_type), save :: ball(page)[*], posted(page)[*]
  !> The neighbours on the ring; one image when there are only two.
  integer, allocatable, save :: neighbours(:)

contains

  !> sync_all, sync_images_pair, sync_images_ring, sync_images_star, sync_memory.
  subroutine run_sync()
    integer :: left, right
    left = merge(images, me - 1, me == 1)
    right = merge(1, me + 1, me == images)
    if (images == 2) then
      neighbours = [left]
    else
      neighbours = [left, right]
    end if
    call measure('sync_all', 0, barrier)
    call measure('sync_images_pair', 0, pairs)
    call measure('sync_images_ring', 0, ring)
    call measure('sync_images_star', 0, star)
    call measure('sync_memory', 0, memory)
  end subroutine run_sync

  !> event_pingpong, event_post.
  subroutine run_events()
    call measure('event_pingpong', 0, event_pingpong)
    call measure('event_post', 0, event_post)
  end subroutine run_events

  subroutine barrier(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      sync all
    end do
  end subroutine barrier

  !> Images 1 and 2, 3 and 4 ...; the last of an odd number stays out.
  subroutine pairs(n)
    integer, intent(in) :: n
    integer :: i, other
    other = merge(me + 1, me - 1, mod(me, 2) == 1)
    if (other > images) return
    do i = 1, n
      sync images (other)
    end do
  end subroutine pairs

  subroutine ring(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      sync images (neighbours)
    end do
  end subroutine ring

  !> Image 1 with all others, the others with image 1 only.
  subroutine star(n)
    integer, intent(in) :: n
    integer :: i
    if (me == 1) then
      do i = 1, n
        sync images (*)
      end do
    else
      do i = 1, n
        sync images (1)
      end do
    end if
  end subroutine star

  subroutine memory(n)
    integer, intent(in) :: n
    integer :: i
    if (me /= 1) return
    do i = 1, n
      sync memory
    end do
  end subroutine memory

  !> There and back.
  subroutine event_pingpong(n)
    integer, intent(in) :: n
    integer :: i
    if (me == 1) then
      do i = 1, n
        event post(ball(1)[partner])
        event wait(ball(1))
      end do
    else if (me == partner) then
      do i = 1, n
        event wait(ball(1))
        event post(ball(1)[1])
      end do
    end if
  end subroutine event_pingpong

  !> Posts alone; the target takes them all off at the end, outside of image 1's time.
  subroutine event_post(n)
    integer, intent(in) :: n
    integer :: i
    if (me == 1) then
      do i = 1, n
        event post(posted(1)[partner])
      end do
    else if (me == partner) then
      event wait(posted(1), until_count=n)
    end if
  end subroutine event_post

end module caf_sync
