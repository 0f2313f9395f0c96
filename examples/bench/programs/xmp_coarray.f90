!> Coarrays, translated by the Omni XcalableMP compiler: the same objects are linked with each runtime library.
!>
!> The protocol, the arguments and the rules of the timing are those of caf_timing.f90, in the Fortran that the compiler
!> understands: no procedure arguments, no deferred lengths.
module xmp_rows
  implicit none
  integer, parameter :: dp = 8
  !> Elements of the longest transfers.
  integer, parameter :: longest = 131072
  integer, parameter :: eager = 128
  real(dp) :: there(longest)[*]
  real(dp) :: one(eager)[*], two(eager)[*], three(eager)[*], four(eager)[*]
  real(dp) :: five(eager)[*], six(eager)[*], seven(eager)[*], eight(eager)[*]
  !> The next batch's number of calls, from image 1; 0 ends the row.
  integer :: command(1024)[*]
  real(dp) :: source(longest), sums(1024), results(1024)
  integer :: me, images
end module xmp_rows

program xmp_coarray
  use xmp_rows
  implicit none
  integer :: status, milliseconds
  character(len=2048) :: wanted
  character(len=32) :: text

  me = this_image()
  images = num_images()
  wanted = 'all'
  milliseconds = 20
  if (command_argument_count() >= 1) call get_command_argument(1, wanted)
  if (command_argument_count() >= 2) then
    call get_command_argument(2, text)
    read (text, *, iostat=status) milliseconds
  end if
  source = me
  there = 0
  sums = 1

  call row('put', 8, wanted, milliseconds)
  call row('put', 1024, wanted, milliseconds)
  call row('put', 1048576, wanted, milliseconds)
  call row('get', 8, wanted, milliseconds)
  call row('get', 1024, wanted, milliseconds)
  call row('get', 1048576, wanted, milliseconds)
  call row('sync_all', 0, wanted, milliseconds)
  call row('sync_images', 0, wanted, milliseconds)
  call row('co_sum', 8, wanted, milliseconds)
  call row('co_sum', 8192, wanted, milliseconds)
  call row('pingpong_blocking', 8, wanted, milliseconds)
  call row('pingpong_blocking', 1024, wanted, milliseconds)
  call row('pingpong', 8, wanted, milliseconds)
  call row('pingpong', 1024, wanted, milliseconds)
  sync all
  if (me == 1) write (*, '(a)') 'end'
end program xmp_coarray

!> Measures and prints one row if it was asked for.
subroutine row(name, bytes, wanted, milliseconds)
  use xmp_rows
  implicit none
  character(len=*), intent(in) :: name, wanted
  integer, intent(in) :: bytes, milliseconds
  integer, parameter :: budget_factor = 50, largest_count = 2**29
  integer(8) :: started, stopped, spent, rate, least
  integer :: n, rounds, image, last
  character(len=2050) :: list
  character(len=16) :: size_text
  real(dp) :: factor
  logical :: right

  write (size_text, '(i0)') bytes
  list = ','//trim(wanted)//','
  if (wanted /= 'all' .and. index(list, ','//name//',') == 0 &
      .and. index(list, ','//name//':'//trim(size_text)//',') == 0) return
  if (me == 1) then
    write (*, '("begin,", a, ",", i0)') name, bytes
    flush (6)
  end if
  call system_clock(count_rate=rate)
  least = rate*milliseconds/1000
  spent = 0
  rounds = 0
  n = 1
  do while (n > 0)
    sync all
    call system_clock(started)
    call body(name, bytes, n)
    call system_clock(stopped)
    spent = spent + (stopped - started)
    rounds = rounds + 1
    last = n
    if (me == 1) then
      if (spent >= budget_factor*least .or. (n >= largest_count .and. rounds > 1) &
          .or. (stopped - started >= least .and. rounds > 1)) then
        n = 0
      else if (stopped - started < least) then
        factor = 1.3d0*dble(least)/dble(max(stopped - started, 1_8))
        n = int(min(dble(largest_count), n*min(10.0d0, max(2.0d0, factor))))
      end if
      do image = 1, images
        command(1)[image] = n
      end do
    end if
    sync all
    n = command(1)
  end do
  if (me == 1) write (*, '(a, ",", i0, ",", es13.6)') name, bytes, 1.0d6*dble(stopped - started)/dble(rate)/last
  call check(name, bytes, right)
  if (.not. right) write (*, '("wrong,", a, ",", i0)') name, bytes
  flush (6)
end subroutine row

!> Does the operation of a row `n` times.
subroutine body(name, bytes, n)
  use xmp_rows
  implicit none
  character(len=*), intent(in) :: name
  integer, intent(in) :: bytes, n
  integer :: i, k
  k = bytes/8
  select case (name)
  case ('put')
    if (me == 1) then
      do i = 1, n
        there(1:k)[2] = source(1:k)
      end do
      sync memory
    end if
  case ('get')
    if (me == 1) then
      do i = 1, n
        source(1:k) = there(1:k)[2]
      end do
    end if
  case ('sync_all')
    do i = 1, n
      sync all
    end do
  case ('sync_images')
    do i = 1, n
      if (me == 1) then
        sync images (2)
      else if (me == 2) then
        sync images (1)
      end if
    end do
  case ('co_sum')
    do i = 1, n
      if (k == 1) then
        call co_sum(sums(1), results(1))
      else
        call co_sum(sums, results)
      end if
    end do
  case ('pingpong_blocking')
    do i = 1, n
      if (me == 1) then
        call put_blocking(2, k)
        sync images (2)
        sync images (2)
      else if (me == 2) then
        sync images (1)
        call put_blocking(1, k)
        sync images (1)
      end if
    end do
  case ('pingpong')
    do i = 1, n
      if (me == 1) then
        call put_all(2, k)
        sync images (2)
        sync images (2)
      else if (me == 2) then
        sync images (1)
        call put_all(1, k)
        sync images (1)
      end if
    end do
  end select
end subroutine body

!> Eight variables, one after the other.
subroutine put_blocking(image, k)
  use xmp_rows
  implicit none
  integer, intent(in) :: image, k
  one(1:k)[image] = source(1:k)
  sync memory
  two(1:k)[image] = source(1:k)
  sync memory
  three(1:k)[image] = source(1:k)
  sync memory
  four(1:k)[image] = source(1:k)
  sync memory
  five(1:k)[image] = source(1:k)
  sync memory
  six(1:k)[image] = source(1:k)
  sync memory
  seven(1:k)[image] = source(1:k)
  sync memory
  eight(1:k)[image] = source(1:k)
  sync memory
end subroutine put_blocking

!> Eight variables, on their way at the same time.
subroutine put_all(image, k)
  use xmp_rows
  implicit none
  integer, intent(in) :: image, k
  one(1:k)[image] = source(1:k)
  two(1:k)[image] = source(1:k)
  three(1:k)[image] = source(1:k)
  four(1:k)[image] = source(1:k)
  five(1:k)[image] = source(1:k)
  six(1:k)[image] = source(1:k)
  seven(1:k)[image] = source(1:k)
  eight(1:k)[image] = source(1:k)
end subroutine put_all

!> Whether what the row has moved has arrived.
subroutine check(name, bytes, right)
  use xmp_rows
  implicit none
  character(len=*), intent(in) :: name
  integer, intent(in) :: bytes
  logical, intent(out) :: right
  integer :: k
  k = bytes/8
  right = .true.
  select case (name)
  case ('put')
    if (me == 2) right = all(there(1:k) == 1)
    if (me == 1) source = 1
  case ('get')
    if (me == 1) right = all(source(1:k) == 1)
  case ('co_sum')
    right = all(results(1:k) == images)
  case ('pingpong', 'pingpong_blocking')
    if (me <= 2) right = all(one(1:k) == 3 - me) .and. all(eight(1:k) == 3 - me)
  end select
end subroutine check
