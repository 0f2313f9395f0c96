! Single elements of arrays that are no coarrays and are not allocated, to which a pointer component leads: they are fetched with those
! beside them, and are what their image has stored before the last statement that orders both, whichever statement that is. With an
! argument, between hosts, it leaves out the ways in which images ask for a lock again and again: one of another host may wait long.
program fixed
  use checks
  use counted_copies, only: copies_since
  use, intrinsic :: iso_fortran_env
  implicit none
  type box
    integer, pointer :: data(:) => null()
  end type
  integer, parameter :: n = 3000, ways = 12, rounds = 3
  integer, target, save :: values(n)
  type(box) :: b[*]
  integer, allocatable :: extra[:]
  type(event_type) :: stored[*]
  type(lock_type) :: guard[*]
  type(team_type) :: halves
  integer(atomic_int_kind) :: flag[*]
  integer :: version[*] = 0
  integer :: me, images, next, before, way, round, i, found, total

  me = this_image()
  images = num_images()
  next = 1 + mod(me, images)
  before = 1 + mod(me + images - 2, images)
  b%data => values
  values = [(n*me + i, i=1, n)]
  sync all
  found = copies_since()
  do i = 1, n
    call require_equal(b[next]%data(i), n*next + i, 'an element of a sequence')
  end do
  if (next /= me .and. command_argument_count() == 0) then
    ! A line is of 4 KiB.
    found = copies_since()
    call require(found <= 4*n/4096 + 2, 'lines are fetched, not elements')
  end if
  ! Own puts are read.
  sync all
  do i = 1, n, 7
    b[next]%data(i) = -i
    call require_equal(b[next]%data(i), -i, 'an element that this image has put')
    call require_equal(b[next]%data(min(i + 1, n)), n*next + min(i + 1, n), 'the element beside it')
  end do
  sync all

  do way = 1, ways
    if (command_argument_count() > 0 .and. any(way == [4, 10])) cycle
    do round = 1, rounds
      ! All have read what was stored before.
      sync all
      values = [(stamp(me) + i, i=1, n)]
      call order()
      do i = 1 + mod(way, 5), n, 1 + mod(37*round, 90)
        call require_equal(b[next]%data(i), stamp(next) + i, 'an element')
      end do
      ! The next way has to empty lines that hold this round's elements.
    end do
  end do

  ! Loops that wait without a statement do not conform, and end.
  sync all
  values = 0
  sync all
  found = b[next]%data(5)
  sync memory
  b[before]%data(6) = 1
  do while (b[me]%data(6) == 0)
  end do
  b[before]%data(7) = 1
  do while (b[next]%data(7) == 0)
  end do
  sync all

contains

  ! What the elements of an image begin with in this round.
  integer function stamp(image)
    integer, intent(in) :: image
    stamp = 100000*(rounds*way + round) + n*image
  end function stamp

  ! Orders what `next` has stored before this image's reads.
  subroutine order()
    select case (way)
    case (1)
      sync all
    case (2)
      if (images == 2 .or. next == before) then
        if (next /= me) sync images (next)
      else
        sync images ([next, before])
      end if
    case (3)
      event post (stored[before])
      event wait (stored)
    case (4)
      lock (guard[before])
      version[before] = stamp(0)
      unlock (guard[before])
      do
        lock (guard)
        found = version
        unlock (guard)
        if (found == stamp(0)) exit
      end do
    case (5)
      sync memory
      call atomic_define(flag[before], stamp(0))
      do
        call atomic_ref(found, flag)
        if (found == stamp(0)) exit
      end do
      sync memory
    case (6)
      allocate (extra[*])
      deallocate (extra)
    case (7)
      form team (1, halves)
    case (8)
      change team (halves)
        sync team (halves)
      end team
    case (9)
      change team (halves)
      end team
    case (10)
      do
        critical
          version[before] = stamp(0)
          found = version
        end critical
        if (found == stamp(0)) exit
      end do
    case (11)
      ! Not by the standard, but all implementations make images meet here.
      total = 1
      call co_sum(total)
      call require_equal(total, images, 'a sum')
    case (12)
      call sync_all_with_stat()
    end select
  end subroutine order

  subroutine sync_all_with_stat()
    integer :: stat
    sync all (stat=stat)
    call require_equal(stat, 0, 'stat of sync all')
  end subroutine sync_all_with_stat
end program fixed
