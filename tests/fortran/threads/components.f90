! Several threads of each image use allocatable components of coarrays of the next image, and allocate and deallocate those of
! their own, at the same time.
! Not with gfortran 15 and later: threads share the subscripts of coindexed objects in procedures of the main program.
program components
  use checks
  use omp_lib, only: omp_get_thread_num
  implicit none
  type :: part
    integer, allocatable :: x(:)
    integer, allocatable :: scratch(:)
  end type part
  integer, parameter :: threads = 4, rounds = 40, n = 32
  type(part) :: object(threads)[*]
  integer :: next, t, round, k

  next = modulo(this_image(), num_images()) + 1
  do t = 1, threads
    allocate (object(t)%x(n))
    object(t)%x = 0
  end do
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
    call require(all(object(t)%x == [(1000 * t + 10 * rounds + mod(k, 7), k=1, n)]), 'the last component')
  end do
  sync all

contains

  subroutine exchange(t, round)
    integer, intent(in) :: t, round
    integer :: source(n), got(n), one, k
    source = [(1000 * t + 10 * round + mod(k, 7), k=1, n)]
    object(t)[next]%x(:) = source
    got = object(t)[next]%x(:)
    call require(all(got == source), 'an array component')
    one = object(t)[next]%x(5)
    call require(one == source(5), 'an element of a component')
    object(t)[next]%x(5) = one
    allocate (object(t)%scratch(round))
    object(t)%scratch = t
    call require(sum(object(t)%scratch) == t * round, 'a component of this image')
    deallocate (object(t)%scratch)
  end subroutine exchange
end program components
