!> Random statements: the first argument is the seed, the second one how many. The images that the further arguments name may
!> be killed from outside at any instruction, and wait for that at the end. When the third argument is "stat" the others
!> execute all statements, and stat= reports no other error; else no statement has stat=.
program anywhere
  use victim
  use, intrinsic :: iso_fortran_env, only: output_unit, event_type, lock_type, stat_failed_image
  implicit none
  integer, parameter :: large = 20000
  character(20) :: argument
  integer :: me, n, k, i, seed, steps, status, image, got(300), number
  integer :: a(300)[*], one(1)
  integer, allocatable :: many(:), work(:)[:]
  logical :: asks, doomed
  type(event_type) :: ready[*]
  type(lock_type) :: guard[*]

  call get_command_argument(1, argument)
  read (argument, *) seed
  call get_command_argument(2, argument)
  read (argument, *) steps
  call get_command_argument(3, argument)
  asks = argument == 'stat'
  me = this_image(); n = num_images()
  doomed = .false.
  do i = 4, command_argument_count()
    call get_command_argument(i, argument)
    read (argument, *) image
    doomed = doomed .or. image == me
  end do
  allocate (many(large))
  a = me
  sync all
  print '(a, i0, 1x, i0)', 'process ', me, process()
  flush (output_unit)

  do k = 1, steps
    image = 1 + dice(n)
    select case (dice(12))
    case (0, 1)
      if (asks) then
        sync all (stat=status)
        call require_failure_stat('sync all')
      else
        sync all
      end if
    case (2)
      if (asks) then
        sync images (*, stat=status)
        call require_failure_stat('sync images')
      else
        sync images (*)
      end if
    case (3)
      i = min(n, ieor(me - 1, 1) + 1)
      if (asks) then
        sync images (i, stat=status)
        call require_failure_stat('sync images')
      else
        sync images (i)
      end if
    case (4)
      one = k
      if (asks) then
        call co_sum(one, stat=status)
        call require_failure_stat('co_sum')
      else
        call co_sum(one)
      end if
      if (status == 0 .and. one(1) /= n * k) error stop 'co_sum: a wrong sum'
    case (5)
      many = me
      if (asks) then
        call co_sum(many, stat=status)
        call require_failure_stat('co_sum')
      else
        call co_sum(many)
      end if
      if (status == 0 .and. any(many /= n * (n + 1) / 2)) error stop 'co_sum: a wrong sum of many'
    case (6)
      many = me
      if (asks) then
        call co_max(many, result_image=image, stat=status)
        call require_failure_stat('co_max')
      else
        call co_max(many, result_image=image)
      end if
      if (status == 0 .and. me == image .and. any(many /= n)) error stop 'co_max: a wrong result'
    case (7)
      many = merge(k, -1, me == image)
      if (asks) then
        call co_broadcast(many, source_image=image, stat=status)
        call require_failure_stat('co_broadcast')
      else
        call co_broadcast(many, source_image=image)
      end if
      if (status == 0 .and. any(many /= k)) error stop 'co_broadcast: a wrong value'
    case (8)
      many = me
      if (asks) then
        call co_reduce(many, add, result_image=image, stat=status)
        call require_failure_stat('co_reduce')
      else
        call co_reduce(many, add, result_image=image)
      end if
      if (status == 0 .and. me == image .and. any(many /= n * (n + 1) / 2)) error stop 'co_reduce: a wrong result'
    case (9)
      if (asks) then
        allocate (work(k)[*], stat=status)
        if (.not. allocated(work)) error stop 'allocate: nothing was allocated'
        work = k
        deallocate (work, stat=status)
        call require_failure_stat('deallocate')
      else
        allocate (work(k)[*])
        work = k
        deallocate (work)
      end if
    case (10)
      if (asks) then
        ! Whatever has become of its image, or of who had it.
        lock (guard[image], stat=status)
        got = a(:)[image, stat=status]
        if (status == 0 .and. any(got /= image)) error stop 'get: a wrong value'
        unlock (guard[image], stat=status)
      else
        lock (guard[image])
        got = a(:)[image]
        unlock (guard[image])
      end if
    case (11)
      i = 1 + modulo(me, n)
      image = 1 + modulo(me - 2, n)
      if (asks) then
        event post (ready[i], stat=status)
        call require_failure_stat('event post')
      else
        event post (ready[i])
      end if
      number = 0
      status = 0
      do while (asks .and. number == 0 .and. status == 0)
        ! Asked before: what it has posted is there when its end is known.
        status = image_status(image)
        call event_query(ready, number)
      end do
      if (number > 0 .or. .not. asks) then
        event wait (ready)
      end if
    end select
  end do
  if (doomed) call nap(600000)
  if (asks) then
    sync all (stat=status)
    call require_failure_stat('sync all')
  else
    sync all
  end if
  print '(a, i0)', 'went on: ', me

contains

  pure integer function add(x, y)
    integer, intent(in) :: x, y
    add = x + y
  end function

  !> The next number below `sides`.
  integer function dice(sides)
    integer, intent(in) :: sides
    integer, parameter :: i8 = selected_int_kind(18)
    seed = int(modulo(int(seed, i8) * 16807_i8, 2147483647_i8))
    dice = modulo(seed / 64, sides)
  end function

  subroutine require_failure_stat(what)
    character(*), intent(in) :: what
    if (status == 0 .or. status == stat_failed_image .or. doomed) return
    print '(i0, 3a, i0, a)', me, ': stat of ', what, ' is ', status, ', should be STAT_FAILED_IMAGE'
    flush (output_unit)
    error stop
  end subroutine
end program
