! Threads of each image put and get all of an allocatable coarray at the same time, and use the elements of their own image.
! Where the compiler passes this image's descriptor of the coarray, all of them have the same one.
program whole_arrays
  use checks
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, parameter :: threads = 4, rounds = 20000, length = 16
  integer, allocatable :: shown(:)[:], taken(:)[:]
  integer :: images, me, next, previous, t
  logical :: done

  images = num_images()
  me = this_image()
  next = modulo(me, images) + 1
  previous = modulo(me - 2, images) + 1
  allocate (shown(length)[*], taken(length)[*])
  shown = me
  taken = 0
  sync all
  ! Before, so that the threads call nothing but gets and puts.
  call exchange(1)
  sync all
  ! One thread communicates, the others only use their own elements: for so long that all of them run at that time, where
  ! threads share processors, too.
  done = .false.
  !$omp parallel do num_threads(threads) private(t) schedule(static, 1)
  do t = 1, threads
    if (t == 1) then
      call exchange_for_long()
      !$omp atomic write
      done = .true.
    else
      call use_own()
    end if
  end do
  !$omp end parallel do
  !$omp parallel do num_threads(threads) private(t)
  do t = 1, threads
    call exchange(rounds)
  end do
  !$omp end parallel do
  sync all
  call require(all(shown == me), 'own elements stay')
  call require(all(taken == previous), 'elements that were put')
contains
  subroutine exchange(rounds)
    integer, intent(in) :: rounds
    integer :: round, got(length), put(length)
    put = me
    do round = 1, rounds
      got = shown(:)[next]
      call require(all(got == next), 'elements of the next image')
      taken(:)[next] = put
    end do
  end subroutine exchange

  subroutine exchange_for_long()
    integer(int64) :: start, now, rate
    call system_clock(start, rate)
    now = start
    do while (now - start < rate / 4)
      call exchange(10)
      call system_clock(now)
    end do
  end subroutine exchange_for_long

  subroutine use_own()
    logical :: is_over
    is_over = .false.
    do while (.not. is_over)
      !$omp atomic read
      is_over = done
      call require(all(shown == me), 'own elements while another thread gets')
      call require(all(taken == previous), 'own elements while another thread puts')
    end do
  end subroutine use_own
end program whole_arrays
