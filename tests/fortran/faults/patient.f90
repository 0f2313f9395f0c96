!> Random statements of a correct program, in which images come late: the first argument is the seed, the second one how
!> many statements, the third one the longest lateness in milliseconds. Before each statement a random image may sleep,
!> compute or run a command while the others wait for it.
program patient
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: event_type, lock_type, team_type, atomic_int_kind, int64
  implicit none
  interface
    integer(c_int) function usleep(us) bind(c)
      import c_int
      integer(c_int), value :: us
    end function usleep
  end interface
  type(event_type), save :: ready[*], done[*]
  type(lock_type), save :: guard[*]
  integer, save :: total[*], mailbox(64)[*]
  ! One for each image that defines it: a slow image must not overwrite what a later statement has defined.
  integer(atomic_int_kind), save :: flag(64)[*]
  integer, allocatable :: work(:)[:]
  type(team_type) :: team
  character(20) :: argument
  integer :: me, n, k, i, seed, steps, longest, image, x, many(5000), next, before
  integer(atomic_int_kind) :: seen

  call get_command_argument(1, argument)
  read (argument, *) seed
  call get_command_argument(2, argument)
  read (argument, *) steps
  call get_command_argument(3, argument)
  read (argument, *) longest
  me = this_image()
  n = num_images()
  next = mod(me, n) + 1
  before = mod(me + n - 2, n) + 1
  total = 0
  flag = 0
  sync all
  do k = 1, steps
    image = 1 + dice(n)
    call be_late(1 + dice(n), dice(8), dice(longest))
    select case (dice(14))
    case (0)
      sync all
    case (1)
      sync images (*)
    case (2)
      i = ieor(me - 1, 1) + 1
      if (i <= n) sync images (i)
    case (3)
      ! One with all.
      if (me == image) then
        sync images (*)
      else
        sync images (image)
      end if
    case (4)
      x = me
      call co_sum(x)
      if (x /= n * (n + 1) / 2) error stop 'co_sum'
    case (5)
      many = me
      call co_sum(many, result_image=image)
      if (me == image .and. any(many /= n * (n + 1) / 2)) error stop 'co_sum of many'
    case (6)
      x = merge(k, -1, me == image)
      call co_broadcast(x, source_image=image)
      if (x /= k) error stop 'co_broadcast'
    case (7)
      ! A ring of posts that begins at one image.
      if (me == image) event post (ready[next])
      event wait (ready)
      if (me /= image) event post (ready[next])
    case (8)
      ! Many posts to one, and one to many.
      if (me /= image) then
        event post (done[image])
        event wait (ready)
      else
        if (n > 1) event wait (done, until_count=n - 1)
        do i = 1, n
          if (i /= me) event post (ready[i])
        end do
      end if
    case (9)
      x = dice(4)
      lock (guard[image])
      total[image] = total[image] + 1
      if (x == 0 .and. me == image) call nap(longest / 4)
      unlock (guard[image])
    case (10)
      critical
        mailbox(1 + mod(k, 64))[image] = me
      end critical
    case (11)
      form team (1 + mod(me + k, 2), team)
      change team (team)
        x = 1
        call be_late(1 + dice(num_images()), dice(4), longest / 2)
        call co_sum(x)
        if (x /= num_images()) error stop 'co_sum in a team'
        sync all
      end team
    case (12)
      allocate (work(k)[*])
      work = me
      if (n == 2) sync images (next)
      if (n > 2) sync images ([before, next])
      if (work(1)[next] /= next) error stop 'get'
      deallocate (work)
    case (13)
      ! A loop around an atomic subroutine.
      if (me == image) then
        do i = 1, n
          call atomic_define(flag(image)[i], k)
        end do
      end if
      do
        call atomic_ref(seen, flag(image))
        if (seen >= k) exit
        call nap(1)
      end do
    end select
  end do
  sync all
contains

  !> The next number below `sides`, the same on all images at the same statement.
  integer function dice(sides)
    integer, intent(in) :: sides
    integer, parameter :: i8 = selected_int_kind(18)
    seed = int(modulo(int(seed, i8) * 16807_i8, 2147483647_i8))
    dice = modulo(seed / 64, sides)
  end function dice

  subroutine nap(milliseconds)
    integer, intent(in) :: milliseconds
    integer(c_int) :: ignored
    ignored = usleep(int(1000 * milliseconds, c_int))
  end subroutine nap

  !> This image of the executing team is late, in one of some ways.
  subroutine be_late(image, way, milliseconds)
    integer, intent(in) :: image, way, milliseconds
    integer(int64) :: start, now, rate
    character(40) :: command
    if (image /= this_image()) return
    select case (way)
    case (0)
      call nap(milliseconds)
    case (1)
      call system_clock(start, rate)
      do
        call system_clock(now)
        if ((now - start) * 1000 > rate * min(milliseconds, 300)) exit
      end do
    case (2)
      write (command, '(a, f6.3)') 'sleep ', milliseconds / 1000.0
      call execute_command_line(command)
    case default
    end select
  end subroutine be_late
end program patient
