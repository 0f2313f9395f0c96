! One thread of each image executes collective operations and image control statements, while the others put, get, lock and
! post. Image 2 comes to the collectives only when another thread of image 1 has set a flag, which is possible while image 1
! waits.
program beside_collectives
  use checks
  use omp_lib, only: omp_get_thread_num
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, event_type, lock_type
  implicit none
  integer, parameter :: threads = 4, rounds = 30
  integer :: slot(threads)[*], total
  type(event_type) :: come[*], done(threads)[*]
  type(lock_type) :: lock_of(threads)[*]
  integer, allocatable :: made(:)[:]
  integer :: images, me, next, t, round

  images = num_images()
  me = this_image()
  next = modulo(me, images) + 1
  slot = 0
  sync all
  !$omp parallel num_threads(threads) private(t, round, total)
  t = omp_get_thread_num() + 1
  do round = 1, rounds
    if (t == 1) then
      if (me == 2) event wait (come)
      sync all
      total = me
      call co_sum(total)
      call require(total == images * (images + 1) / 2, 'a sum')
      sync images (*)
      allocate (made(10)[*])
      made = me
      deallocate (made)
    else
      if (me == 1 .and. t == 2 .and. images > 1) event post (come[2])
      call others(t, round)
    end if
    ! So that all are there at the same time, on a busy machine, too.
    !$omp barrier
  end do
  !$omp end parallel
  sync all

contains

  subroutine others(t, round)
    integer, intent(in) :: t, round
    integer :: got
    slot(t)[next] = round
    got = slot(t)[next]
    call require(got == round, 'a slot')
    lock (lock_of(t)[next])
    unlock (lock_of(t)[next])
    event post (done(t)[next])
    event wait (done(t))
  end subroutine others
end program beside_collectives
