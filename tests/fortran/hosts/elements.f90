! Single elements of an image of another host are what that image has stored before the last statement that orders both, whichever
! statement that is, and whoever synchronised with it.
program elements
  use checks
  use, intrinsic :: iso_fortran_env
  implicit none
  type chain
    integer, allocatable :: data(:)
  end type chain
  integer, parameter :: n = 3000, rounds = 6, stages = 20
  integer :: a(n)[*], waited(1)[*]
  type(chain) :: c[*]
  integer, allocatable :: b(:)[:]
  type(event_type) :: stored[*], read[*]
  type(lock_type) :: guard[*]
  integer(atomic_int_kind) :: flag[*], taken[*]
  integer :: version[*] = 0
  integer :: me, images, other, from, round, i, found
  logical :: is_writer

  me = this_image()
  images = num_images()
  ! Image i of the first half reads what an image of the second half stores, which is on another host.
  is_writer = me > images / 2 .and. me <= 2 * (images / 2)
  other = merge(me - images / 2, me + images / 2, is_writer)
  if (me > 2 * (images / 2)) other = me
  from = other
  call atomic_define(flag, 0)
  call atomic_define(taken, 0)
  allocate (c%data(n))
  sync all

  do round = 1, rounds
    call store_all(round)
    sync all
    call read_some(round)
    sync all
  end do

  do round = rounds + 1, 2 * rounds
    call store_all(round)
    if (other /= me) sync images (other)
    call read_some(round)
    if (other /= me) sync images (other)
  end do

  do round = 2 * rounds + 1, 3 * rounds
    if (is_writer) then
      call store_all(round)
      event post (stored[other])
      event wait (read)
    else if (other /= me) then
      event wait (stored)
      call read_some(round)
      event post (read[other])
    end if
  end do
  sync all

  ! The reader reads what is between the elements that it has read before. Mostly the next post has come before its statement, which
  ! executes nothing but a look then.
  if (is_writer) then
    do round = 1, stages
      a(round:n:stages) = [(-i, i=round, n, stages)]
      call compute(1)
      event post (stored[other])
    end do
  else if (other /= me) then
    do round = 1, stages
      event wait (stored)
      do i = round, n, stages
        call require_equal(a(i)[other], -i, 'an element of a stage')
      end do
      call compute(2)
    end do
  end if
  sync all

  do round = 3 * rounds + 1, 4 * rounds
    if (is_writer) then
      lock (guard[other])
      call store_all(round)
      version[other] = round
      unlock (guard[other])
    else if (other /= me) then
      do
        lock (guard)
        found = version
        if (found == round) call read_some(round)
        unlock (guard)
        if (found == round) exit
      end do
    end if
    sync all
  end do

  do round = 4 * rounds + 1, 5 * rounds
    if (is_writer) then
      call store_all(round)
      sync memory
      call atomic_define(flag[other], round)
      do
        call atomic_ref(found, taken)
        if (found == round) exit
      end do
      sync memory
    else if (other /= me) then
      do
        call atomic_ref(found, flag)
        if (found == round) exit
      end do
      sync memory
      call read_some(round)
      sync memory
      call atomic_define(taken[other], round)
    end if
  end do
  sync all

  ! The image that waits is told by one of its own host, which was told by the one that stored.
  if (images >= 4) then
    do round = 5 * rounds + 1, 6 * rounds
      from = images
      if (me == images) call store_all(round)
      if (me == images) sync images (2)
      if (me == 2) sync images (images)
      if (me == 1) sync images (2)
      if (me == 2) sync images (1)
      if (me <= 2) call read_some(round)
      sync all
      from = other
    end do
  end if

  do round = 6 * rounds + 1, 7 * rounds
    allocate (b(n)[*], source=round * me)
    do i = 1 + mod(round, 7), n, 97
      call require_equal(b(i)[other], round * other, 'an element of an allocatable coarray')
    end do
    deallocate (b)
  end do

  ! Loops that wait without a statement do not conform, and end.
  if (is_writer) then
    call store_all(7 * rounds + 1)
    waited(1)[other] = 0
    sync memory
    waited(1) = 1
  else if (other /= me) then
    found = a(5)[other]
    do while (waited(1)[other] == 0)
    end do
  end if
  sync all

contains

  ! Takes this many milliseconds.
  subroutine compute(milliseconds)
    integer, intent(in) :: milliseconds
    integer(int64) :: start, now, rate

    call system_clock(start, rate)
    do
      call system_clock(now)
      if ((now - start) * 1000 >= milliseconds * rate) exit
    end do
  end subroutine compute

  subroutine store_all(round)
    integer, intent(in) :: round
    integer :: i

    if (.not. is_writer .and. me /= from) return
    a = [(round * 10000 + i, i=1, n)]
    c%data = -a
  end subroutine store_all

  subroutine read_some(round)
    integer, intent(in) :: round
    integer :: i

    if (is_writer .and. from == other) return
    if (from == me) return
    do i = 1 + mod(round * 13, 50), n, 1 + mod(round, 60)
      call require_equal(a(i)[from], round * 10000 + i, 'an element')
    end do
    do i = 1 + mod(round * 7, 50), n, 251
      call require_equal(c[from]%data(i), -round * 10000 - i, 'an element of a component')
    end do
  end subroutine read_some
end program elements
