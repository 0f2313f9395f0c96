! A ring of images as a pipeline. Image 1 feeds numbered items; each image waits
! for an item, works on it and puts it into the mailbox of the next one; image 1
! takes them back and checks order and value.
!
! `arrived` counts the items that are in an image's mailbox, `credit` the slots
! that are free in the mailbox of the next image: no image overwrites an unread slot.
!
! Not with gfortran 15 and later: puts to module variables in module procedures crash the compiler.
module pipeline
  use, intrinsic :: iso_fortran_env, only: event_type, int64
  implicit none (type, external)
  private
  public :: item, depth, setup_pipeline, send, receive, waiting_items, worked, check_idle

  integer, parameter :: depth = 4
  integer(int64), parameter :: modulus = 1000003

  type :: item
    integer(int64) :: number = 0
    integer(int64) :: value = 0
  end type item

  type(event_type) :: arrived[*], credit[*]
  type(item) :: mailbox(0:depth - 1)[*]
  integer(int64) :: sent = 0, received = 0
  integer :: next, previous

contains

  subroutine setup_pipeline()
    integer :: slot, credits

    next = mod(this_image(), num_images()) + 1
    previous = mod(this_image() - 2 + num_images(), num_images()) + 1
    do slot = 1, depth
      event post (credit[previous])
    end do
    ! One wait takes all posts, then they are given back: until_count at work.
    event wait (credit, until_count=depth)
    sync all
    call event_query(credit, credits)
    if (credits /= 0) error stop 'event_pipeline: event wait left posts behind'
    sync all
    do slot = 1, depth
      event post (credit[previous])
    end do
  end subroutine setup_pipeline

  subroutine send(it)
    type(item), intent(in) :: it

    event wait (credit)
    mailbox(mod(sent, int(depth, int64)))[next] = it
    event post (arrived[next])
    sent = sent + 1
  end subroutine send

  ! Items come in the order they were fed; anything else is an error.
  subroutine receive(it)
    type(item), intent(out) :: it

    event wait (arrived)
    it = mailbox(mod(received, int(depth, int64)))
    event post (credit[previous])
    received = received + 1
    if (it%number /= received) error stop 'event_pipeline: an item came out of order'
  end subroutine receive

  integer function waiting_items()
    call event_query(arrived, waiting_items)
    if (waiting_items < 0 .or. waiting_items > depth) &
        error stop 'event_pipeline: event_query gave an impossible count'
  end function waiting_items

  ! What image `image` makes of a value.
  pure integer(int64) function worked(value, image)
    integer(int64), intent(in) :: value
    integer, intent(in) :: image

    worked = mod(3 * value + image, modulus)
  end function worked

  ! At the end every credit is back and no mailbox holds an item.
  subroutine check_idle()
    integer :: credits

    sync all
    call event_query(credit, credits)
    if (waiting_items() /= 0) error stop 'event_pipeline: an item was left behind'
    if (credits /= depth) error stop 'event_pipeline: a credit was lost'
  end subroutine check_idle
end module pipeline

program event_pipeline
  use, intrinsic :: iso_fortran_env, only: int64
  use pipeline, only: item, depth, setup_pipeline, send, receive, waiting_items, worked, check_idle
  implicit none (type, external)
  integer, parameter :: items = 1000
  integer(int64) :: checksum
  integer :: k, taken, most
  type(item) :: it

  call setup_pipeline()
  checksum = 0
  if (this_image() == 1) then
    taken = 0
    most = 0
    do k = 1, items
      ! Not more than `depth` items under way: the ring cannot fill up and block.
      if (k - taken > depth) call take()
      call send(item(number=k, value=worked(int(k, int64), 1)))
      most = max(most, waiting_items())
      do while (waiting_items() > 0)
        call take()
      end do
    end do
    do while (taken < items)
      call take()
    end do
    print '(a,i0,a,i0,a)', 'items ', items, ' through ', num_images(), ' image(s)'
    print '(a,i0)', 'most items seen waiting ', most
    print '(a,i0)', 'checksum ', checksum
  else
    do k = 1, items
      call receive(it)
      it%value = worked(it%value, this_image())
      call send(it)
    end do
  end if
  call check_idle()
  sync all
  if (this_image() == 1) print '(a)', 'PASS'

contains

  ! Takes one item off the ring and compares it with the same work done here.
  subroutine take()
    integer(int64) :: expected
    integer :: image

    call receive(it)
    taken = taken + 1
    expected = taken
    do image = 1, num_images()
      expected = worked(expected, image)
    end do
    if (it%value /= expected) error stop 'event_pipeline: an item has a wrong value'
    checksum = checksum + it%value
  end subroutine take
end program event_pipeline
