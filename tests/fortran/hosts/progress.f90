!> progress COMPUTING: every request to an image that computes and calls nothing of the library is carried out.
!>
!> Image COMPUTING works on local numbers until a variable of its own changes, which only the last request of image
!> ASKING changes. If anything needed the help of the image asked, nobody would ever end. What each request took is
!> printed.
program progress
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, event_type, int64, lock_type, real64
  use checks
  implicit none
  integer, parameter :: n = 100, large = 200000
  type :: boxed
    integer :: tag = 0
    real(real64), allocatable :: content(:)
  end type
  integer, volatile, save :: told[*] = 0
  real(real64), save :: word[*], block(large)[*], plane(n, n)[*]
  integer(atomic_int_kind), save :: counter[*] = 0
  type(lock_type), save :: gate[*]
  type(event_type), save :: news[*]
  type(boxed), save :: box[*]
  real(real64) :: got, many(large), section(n, n)
  integer :: computing, asking, pieces(3) = [7, 1, 50]
  integer(atomic_int_kind) :: old
  integer(int64) :: began, rate
  character(12) :: text

  call get_command_argument(1, text)
  read (text, *) computing
  asking = merge(num_images(), 1, computing == 1)
  word = this_image()
  block = this_image()
  plane = this_image()
  allocate (box%content(n), source=real(this_image(), real64))
  call system_clock(count_rate=rate)
  sync all
  if (this_image() == computing) call compute()
  if (this_image() == asking) call ask()
  sync all
  if (this_image() == computing) then
    call require(abs(plane(3, 4) - 9) < 0.5, 'the section did not come')
    call require_equal(int(counter), 6, 'counter')
    call event_query(news, pieces(1))
    call require_equal(pieces(1), 1, 'events')
    call require_equal(int(box%content(5)), 77, 'component')
  end if

contains

  subroutine compute()
    real(real64) :: x
    x = 0.5_real64
    do while (told == 0)
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
    call require_equal(int(got), computing, 'component read')
    call done('get from a component')
    box[computing]%content(5) = 77
    sync memory
    call done('put into a component')
    told[computing] = 1
    sync memory
    call done('the last put')
  end subroutine

  !> Says how long the request has taken since the last one.
  subroutine done(what)
    character(*), intent(in) :: what
    integer(int64) :: now
    call system_clock(now)
    print '(a, ": ", i0, " us")', what, (now - began) * 1000000 / rate
    flush (6)
    call system_clock(began)
  end subroutine
end program
