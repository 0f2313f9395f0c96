!> How many messages an image sends for the statements of one step of a program, where the other image is on another host. Each
!> synchronisation is a message in each direction, and what was put before it goes in the same message. With an argument all counts are
!> printed.
module steps
  use checks
  use, intrinsic :: iso_fortran_env, only: event_type, team_type
  implicit none

  !> The number of the step.
  integer :: n
  integer :: other
  type(team_type) :: both
  type(event_type) :: passed_on[*]
  real :: air(34, 20, 34)
  real :: halo(20, 32, 2)[*], elements(2)[*]
  double precision :: value, vector(4096)

contains

  subroutine barrier()
    sync all
  end subroutine

  subroutine change()
    change team (both)
    end team
  end subroutine

  subroutine sum_in_team()
    value = n
    change team (both)
      call co_sum(value)
    end team
    call require(value == 2*n, 'sum')
  end subroutine

  subroutine sum_of_vector()
    vector = n
    call co_sum(vector)
    call require(all(vector == 2*n), 'sum of a vector')
  end subroutine

  subroutine pass_on()
    integer :: place

    ! The other image may still read the one before.
    place = modulo(n, 2) + 1
    elements(place)[other] = n
    sync images (other)
    call require(elements(place) == n, 'element')
  end subroutine

  subroutine post()
    integer :: place

    place = modulo(n, 2) + 1
    elements(place)[other] = n
    event post (passed_on[other])
    event wait (passed_on)
    call require(elements(place) == n, 'element')
  end subroutine

  subroutine put_faces()
    integer :: set

    set = modulo(n, 2) + 1
    halo(:, :16, set)[other] = air(1, :, 2:17)
    halo(:, 17:, set)[other] = air(1, :, 18:33)
    sync images (other)
    call require(all(halo(:, :, set) == other), 'halo')
  end subroutine

  subroutine allocate_and_put()
    real, allocatable :: theirs(:)[:]

    allocate (theirs(100)[*])
    sync all
    theirs(:)[other] = n
    sync all
    call require(all(theirs == n), 'array')
    deallocate (theirs)
  end subroutine

end module

program statement_messages
  use steps
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  interface
    integer(c_int) function messages_since() bind(c)
      import :: c_int
    end function
    subroutine statements()
    end subroutine
  end interface
  integer, parameter :: first_rounds = 20, rounds = 100

  call require_equal(num_images(), 2, 'images')
  other = 3 - this_image()
  air = this_image()
  form team (1, both)
  call count_messages('SYNC ALL', 1, barrier)
  call count_messages('CHANGE TEAM, END TEAM', 2, change)
  call count_messages('CHANGE TEAM, CO_SUM, END TEAM', 3, sum_in_team)
  ! The other image tells that it is ready, and its parts come.
  call count_messages('CO_SUM of 32 KiB', 2, sum_of_vector)
  call count_messages('put of an element, SYNC IMAGES', 1, pass_on)
  call count_messages('put of an element, EVENT POST, EVENT WAIT', 1, post)
  call count_messages('put of two faces, SYNC IMAGES', 1, put_faces)
  call count_messages('ALLOCATE, SYNC ALL, put, SYNC ALL, DEALLOCATE', 4, allocate_and_put)

contains

  subroutine count_messages(name, most, step)
    character(len=*), intent(in) :: name
    integer, intent(in) :: most
    procedure(statements) :: step
    integer :: sent, round

    do round = 1, first_rounds + rounds
      if (round == first_rounds + 1) sent = messages_since()
      n = round
      call step()
    end do
    sent = messages_since()
    call require(sent >= most*rounds, 'messages are counted: '//name)
    ! Counts of packets and credits are messages now and then.
    if (3*sent > (3*most + 1)*rounds .or. command_argument_count() > 0) &
      print '(2a, f0.2)', name, ': ', real(sent)/rounds
  end subroutine

end program
