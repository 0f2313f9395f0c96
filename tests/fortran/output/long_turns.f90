! Images print in turn, some lines or so many that the launcher notes their writes no longer. A turn ends by one of several statements.
! Each line has the number of its turn. In some turns the other image prints, too, without an order.
program long_turns
  use, intrinsic :: iso_fortran_env, only: event_type, lock_type
  implicit none
  integer, parameter :: turns = 60
  type(event_type) :: turn[*]
  type(lock_type) :: mutex[*]
  integer :: done[*]
  integer :: number, me, next, seen

  me = this_image()
  done = 0
  sync all
  do number = 1, turns
    next = 1 + mod(number, num_images())
    if (me == 1 + mod(number - 1, num_images())) then
      call print_lines(number, merge(6000, 3, mod(number, 3) /= 0))
      select case (mod(number, 5))
      case (1)
        if (next /= me) event post (turn[next])
      case (2)
        if (next /= me) sync images (next)
      case (3)
        lock (mutex[1])
        done[1] = number
        unlock (mutex[1])
      end select
    else if (me == next) then
      select case (mod(number, 5))
      case (1)
        event wait (turn)
      case (2)
        sync images (1 + mod(number - 1, num_images()))
      case (3)
        do
          lock (mutex[1])
          seen = done[1]
          unlock (mutex[1])
          if (seen == number) exit
        end do
      end select
    end if
    if (me == next .and. mod(number, 5) >= 1 .and. mod(number, 5) <= 3) call print_lines(number + 1, 1)
    if (mod(number, 5) == 0) sync all
    if (mod(number, 5) == 4) sync images (*)
    if (mod(number, 5) >= 1 .and. mod(number, 5) <= 3) sync all
  end do
contains
  subroutine print_lines(number, lines)
    integer, intent(in) :: number, lines
    integer :: line
    do line = 1, lines
      print '(i0)', number
    end do
  end subroutine
end program
