!> progress COMPUTING [TIMES]: every request to an image that computes and calls nothing of the library is carried out.
!>
!> Image COMPUTING works on local numbers until a variable of its own changes, which only the last request of image
!> ASKING changes. If anything needed the help of the image asked, no image would ever end. What each request took is
!> printed: of many TIMES the median and the most, and how many took longer than 10 ms; beside it, as long, how the asking
!> image's own processor was taken away from it when it asked for nothing.
program progress
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, event_type, int64, lock_type, real64
  use checks
  implicit none
  integer, parameter :: n = 100, large = 200000, kinds = 32, too_long = 10000
  type :: boxed
    integer :: tag = 0
    real(real64), allocatable :: content(:)
  end type
  integer, volatile, save :: finished[*] = 0
  real(real64), save :: word[*], block(large)[*], plane(n, n)[*]
  integer(atomic_int_kind), save :: counter[*] = 0
  type(lock_type), save :: gate[*]
  type(event_type), save :: news[*]
  type(boxed), save :: box[*]
  real(real64) :: got, many(large), section(n, n)
  integer :: computing, asking, times, turn, asked, pieces(3) = [7, 1, 50]
  integer(atomic_int_kind) :: old
  integer(int64) :: began, rate
  integer(int64), allocatable :: took(:, :)
  character(24) :: names(kinds)
  character(12) :: text

  call get_command_argument(1, text)
  read (text, *) computing
  call get_command_argument(2, text)
  times = 1
  if (text /= '') read (text, *) times
  allocate (took(times, kinds), source=0_int64)
  asking = merge(num_images(), 1, computing == 1)
  word = this_image()
  block = this_image()
  plane = this_image()
  allocate (box%content(n), source=real(this_image(), real64))
  call system_clock(count_rate=rate)
  sync all
  if (this_image() == computing) call compute()
  if (this_image() == asking) then
    do turn = 1, times
      asked = 0
      call ask()
    end do
    if (times > 1) call quiet()
    finished[computing] = 1
    sync memory
    call report()
  end if
  sync all
  if (this_image() == computing) then
    call require(abs(plane(3, 4) - 9) < 0.5, 'the section did not come')
    call require_equal(int(counter), 6, 'counter')
    call event_query(news, pieces(1))
    call require_equal(pieces(1), times, 'events')
    call require_equal(int(box%content(5)), 77, 'component')
  end if

contains

  subroutine compute()
    real(real64) :: x
    x = 0.5_real64
    do while (finished == 0)
      x = 3.7_real64 * x * (1.0_real64 - x)
    end do
    call require(x > 0.0_real64, 'the logistic map leaves its interval')
  end subroutine

  subroutine ask()
    call system_clock(began)
    word[computing] = 4
    sync memory
    call done('put 8 B')
    got = word[computing]
    call require(abs(got - 4) < 0.5, 'get after put')
    call done('get 8 B')
    many = 5
    block(:)[computing] = many
    sync memory
    call done('put 1.6 MB')
    many = 0
    many = block(:)[computing]
    call require(all(abs(many - 5) < 0.5), 'large get after put')
    call done('get 1.6 MB')
    section = 9
    plane(1:n:2, 2:n:2)[computing] = section(1:n:2, 2:n:2)
    sync memory
    call done('put a section')
    section(1:n:2, :) = plane(1:n:2, :)[computing]
    call require(abs(section(3, 4) - 9) < 0.5, 'section')
    call done('get a section')
    section(1:3, 1) = plane(pieces, 2)[computing]
    call require(abs(section(1, 1) - 9) < 0.5, 'vector subscript')
    call done('get by vector subscript')
    call atomic_define(counter[computing], 1)
    call done('atomic_define')
    call atomic_add(counter[computing], 2)
    call done('atomic_add')
    call atomic_fetch_add(counter[computing], 1, old)
    call require_equal(int(old), 3, 'fetch_add')
    call done('atomic_fetch_add')
    call atomic_cas(counter[computing], old, 4, 6)
    call require_equal(int(old), 4, 'cas')
    call done('atomic_cas')
    call atomic_ref(old, counter[computing])
    call require_equal(int(old), 6, 'ref')
    call done('atomic_ref')
    lock (gate[computing])
    call done('lock')
    unlock (gate[computing])
    call done('unlock')
    critical
      got = got + 1
    end critical
    call done('critical')
    event post (news[computing])
    call done('event post')
    got = box[computing]%content(5)
    call require_equal(int(got), merge(computing, 77, turn == 1), 'component read')
    call done('get from a component')
    box[computing]%content(5) = 77
    sync memory
    call done('put into a component')
    word[computing] = 4
    sync memory
    call done('the last put')
  end subroutine

  !> As many looks at the clock as there were requests, each for as long as a request has taken at most: what the system took
  !> of that.
  subroutine quiet()
    integer(int64) :: start, last, now, most
    integer :: look
    asked = asked + 1
    names(asked) = '(nothing)'
    do look = 1, times
      most = 0
      call system_clock(start)
      last = start
      do while (last - start < rate / 200)
        call system_clock(now)
        most = max(most, now - last)
        last = now
      end do
      took(look, asked) = most * 1000000 / rate
    end do
  end subroutine

  !> Keeps how long the request has taken since the last one.
  subroutine done(what)
    character(*), intent(in) :: what
    integer(int64) :: now
    call system_clock(now)
    asked = asked + 1
    names(asked) = what
    took(turn, asked) = (now - began) * 1000000 / rate
    call system_clock(began)
  end subroutine

  subroutine report()
    integer :: kind, at
    integer(int64) :: sorted(times), one
    if (times == 1) then
      print '(a, ": ", i0, " us")', (trim(names(kind)), took(1, kind), kind = 1, asked)
      return
    end if
    print '(a, t27, a)', 'request, microseconds', ' median    most    over 10 ms'
    do kind = 1, asked
      sorted = took(:, kind)
      do turn = 2, times
        one = sorted(turn)
        do at = turn, 2, -1
          if (sorted(at - 1) <= one) exit
          sorted(at) = sorted(at - 1)
        end do
        sorted(at) = one
      end do
      print '(a, t27, i7, i8, i8)', trim(names(kind)), sorted((times + 1) / 2), sorted(times), count(sorted > too_long)
    end do
    print '(a, i0, a, i0)', 'requests over 10 ms: ', count(took(:, :asked - 1) > too_long), ' of ', times * (asked - 1)
  end subroutine
end program
