! Several threads of each image put to the next image and get from it at the same time: scalars, whole arrays, strided
! sections, conversions, and copies between images. Each thread has a slice of its own.
! Not with gfortran 15 and later: threads share the subscripts of coindexed objects in procedures of the main program.
program transfers
  use checks
  use omp_lib, only: omp_get_thread_num
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer, parameter :: threads = 4, rounds = 60, n = 64
  integer(int64) :: scalar(threads)[*]
  integer :: whole(n, threads)[*], strided(n, threads)[*]
  real(real64) :: converted(n, threads)[*]
  integer, allocatable :: later(:, :)[:]
  integer :: next, me, t, round

  me = this_image()
  next = modulo(me, num_images()) + 1
  allocate (later(n, threads)[*])
  scalar = 0; whole = 0; strided = 0; converted = 0; later = 0
  sync all
  !$omp parallel num_threads(threads) private(t, round)
  t = omp_get_thread_num() + 1
  do round = 1, rounds
    call exchange(t, round)
    ! So that all are there at the same time, on a busy machine, too.
    !$omp barrier
  end do
  !$omp end parallel
  sync all
  do t = 1, threads
    call require(scalar(t) == value(t, rounds), 'the last scalar')
    call require(all(whole(:, t) == int(value(t, rounds))), 'the last array')
    call require(all(strided(1::2, t) == int(value(t, rounds))), 'the last section')
    call require(all(strided(2::2, t) == 0), 'what is between')
    call require(all(converted(:, t) == value(t, rounds)), 'the last conversion')
    call require(all(later(:, t) == int(value(t, rounds))), 'the last copy between images')
  end do

contains

  integer(int64) function value(t, round)
    integer, intent(in) :: t, round
    value = 1000_int64 * t + round
  end function value

  subroutine exchange(t, round)
    integer, intent(in) :: t, round
    integer :: got(n), part(n / 2), source(n)
    integer(int64) :: one
    source = int(value(t, round))
    scalar(t)[next] = value(t, round)
    one = scalar(t)[next]
    call require(one == value(t, round), 'a scalar')
    whole(:, t)[next] = source
    got = whole(:, t)[next]
    call require(all(got == source), 'an array')
    strided(1::2, t)[next] = source(1::2)
    part = strided(1::2, t)[next]
    call require(all(part == source(1::2)), 'a section')
    converted(:, t)[next] = source
    got = int(converted(:, t)[next])
    call require(all(got == source), 'a conversion')
    later(:, t)[next] = whole(:, t)[next]
    got = later(:, t)[next]
    call require(all(got == source), 'a copy between images')
  end subroutine exchange
end program transfers
