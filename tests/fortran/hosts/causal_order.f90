!> causal_order MODE: of four images on two hosts, image 3 puts to image 1 of the other
!> host, then synchronises with image 4 of its own. What is ordered after that sees
!> the array, whoever looks, and whatever connection its request takes.
program causal_order
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, event_type
  use checks
  implicit none
  integer, parameter :: n = 100000, rounds = 200
  integer, allocatable :: x(:)[:]
  integer(atomic_int_kind), allocatable :: flag[:]
  type(event_type), allocatable :: told[:]
  integer :: round, seen
  character(16) :: mode

  call get_command_argument(1, mode)
  allocate (x(n)[*], flag[*], told[*])
  x = 0
  flag = 0
  sync all
  do round = 1, merge(1, rounds, mode == 'fail')
    select case (mode)
    case ('neighbour', 'fail')
      call by_neighbour
    case ('far')
      call by_image_of_other_host
    case ('atomic')
      call by_atomic_variable
    case default
      error stop 'mode?'
    end select
    if (mode /= 'fail') sync all
  end do
  if (mode == 'fail') call leave
contains
  subroutine put
    x(:)[1] = round
  end subroutine put

  ! Image 4 gets what image 3 has put, also when image 3 fails at once.
  subroutine by_neighbour
    integer :: ended

    if (this_image() == 3) then
      call put
      sync images (4)
      if (mode == 'fail') fail image
    else if (this_image() == 4) then
      sync images (3, stat=ended)
      x = x(:)[1]
      call require(all(x == round), 'what image 4 gets')
    end if
  end subroutine by_neighbour

  ! Image 4 tells image 2, which gets it from its own host.
  subroutine by_image_of_other_host
    select case (this_image())
    case (3)
      call put
      sync images (4)
    case (4)
      sync images (3)
      event post (told[2])
    case (2)
      event wait (told)
      x = x(:)[1]
      call require(all(x == round), 'what image 2 gets')
    end select
  end subroutine by_image_of_other_host

  ! SYNC IMAGES includes SYNC MEMORY: the atomic variable, too, orders what was put.
  subroutine by_atomic_variable
    select case (this_image())
    case (3)
      call put
      sync images (4)
      call atomic_define(flag[3], round)
    case (4)
      sync images (3)
    case (1)
      do
        call atomic_ref(seen, flag[3])
        if (seen >= round) exit
      end do
      sync memory
      call require(all(x == round), 'what image 1 has')
    end select
  end subroutine by_atomic_variable

  ! The image that has failed takes part in nothing.
  subroutine leave
    integer :: ended

    sync all (stat=ended)
  end subroutine leave
end program causal_order
