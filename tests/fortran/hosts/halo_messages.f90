!> How many messages the exchange of a halo takes between two hosts, with an image each, where a coarray with a pointer component lives
!> for one exchange: ALLOCATE, SYNC ALL, the accesses, SYNC ALL, DEALLOCATE.
! Not with gfortran 15 and later: pointer components have another layout in accessors.
program halo_messages
  use checks
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  interface
    integer(c_int) function messages_since() bind(c)
      import :: c_int
    end function
  end interface
  type box
    integer, pointer :: data(:) => null()
  end type
  integer, parameter :: sizes(2) = [100, 2000], apart = 10, first_rounds = 20, rounds = 50, batch = 10
  integer, allocatable, target :: own(:), halo(:)
  integer :: other, needed, form, round, sent, in_batch, least, size_number, i

  call require_equal(num_images(), 2, 'images')
  other = 3 - this_image()
  do size_number = 1, size(sizes)
    needed = sizes(size_number)
    allocate (own(needed*apart), halo(needed))
    do form = 1, 4
      sent = 0
      least = huge(least)
      do round = 1, first_rounds + rounds
        if (round == first_rounds + 1) in_batch = messages_since()
        own = [(100000*this_image() + i + round, i=1, size(own))]
        halo = -1
        call exchange(form)
        call require(all(halo == [(100000*other + apart*i + round, i=1, needed)]), 'halo')
        if (round <= first_rounds .or. mod(round, batch) > 0) cycle
        in_batch = messages_since()
        sent = sent + in_batch
        least = min(least, in_batch)
      end do
      ! At least one message for each of the four barriers.
      call require(sent >= 4*rounds, 'messages are counted')
      ! Where the machine is busy, what is got may come after a barrier's message. So the batch with the least messages counts.
      if (needed == sizes(1)) sent = least*rounds/batch
      if (2*sent > most_of_two(form)*rounds) print '(3(a, i0))', 'form ', form, ', elements: ', needed, ', messages: ', sent
    end do
    deallocate (own, halo)
  end do

contains

  !> Messages of an image for two exchanges: the barriers, requests, and replies to those of the other image; and counts of packets.
  integer function most_of_two(form)
    integer, intent(in) :: form

    if (needed == sizes(1)) then
      ! All that is got is requested by a barrier's message and comes with one.
      most_of_two = 9
    else
      ! Where the machine is busy, a loop of 2,000 elements looks 7 times at the descriptor again.
      most_of_two = 2*merge(26, 8, form == 1 .or. form == 3)
    end if
  end function most_of_two

  subroutine exchange(form)
    integer, intent(in) :: form
    type(box), allocatable :: theirs[:]
    integer :: i

    allocate (theirs[*])
    select case (form)
    case (1)
      theirs%data => own
    case (2)
      allocate (theirs%data(needed))
      theirs%data = own(apart::apart)
    case default
      theirs%data => halo
    end select
    sync all
    select case (form)
    case (1)
      do i = 1, needed
        halo(i) = theirs[other]%data(apart*i)
      end do
    case (2)
      halo = theirs[other]%data(:)
    case (3)
      do i = 1, needed
        theirs[other]%data(i) = own(apart*i)
      end do
    case (4)
      theirs[other]%data(:) = own(apart::apart)
    end select
    sync all
    if (form == 2) deallocate (theirs%data)
    deallocate (theirs)
  end subroutine exchange
end program
