!> Image selectors with image index 0 or with a cosubscript beyond its cobounds, and result_image=0; the case is the first argument.
program cosubscripts
  use, intrinsic :: iso_fortran_env, only: event_type, lock_type, atomic_int_kind
  implicit none
  integer :: u[2, *], me, k, x(3)[*]
  type(event_type) :: ready[*]
  type(lock_type) :: guard[*]
  integer(atomic_int_kind) :: counter[0:*]
  character(len=10) :: what
  integer(8) :: wide

  call get_command_argument(1, what)
  me = this_image()
  u = me
  x = me
  counter = 0
  sync all
  select case (what)
  case ('right')
    k = u[2, 1] + u[1, &
      1] + x(1)[me]
    event post (ready[me])
    event wait (ready)
    lock (guard[1])
    unlock (guard[1])
    call atomic_add(counter[0], 1)
    sync all
    call co_sum(k, result_image=1)
    if (me == 1 .and. counter /= num_images()) error stop 'counter'
    if (me == 1 .and. k /= 3 * num_images() + num_images() * (num_images() + 1) / 2) error stop 'sum'
    call in_a_block
    if (me == 1) print '(a)', 'done'
  case ('post')
    event post (ready[me - 1])
  case ('lock')
    lock (guard[me - 1])
  case ('unlock')
    if (me == 1) unlock (guard[me - 1])
  case ('atomic')
    call atomic_add(counter[me - 2], 1)
  case ('beyond')
    k = u[3, &
      1]
  case ('wide')
    wide = 2_8**32 + 1
    x(1)[wide] = 0
  case ('below')
    x(:)[me - 4] = 0
  case ('result')
    call co_sum(k, result_image=me - me)
  case ('position')
    if (me > 0) call co_max(k, me - me)
  end select
contains
  subroutine in_a_block
    block
      integer :: also
      also = u[2, 1]
      if (also /= 2) error stop 'block'
      wide = 2_8**32 + 1
      if (image_index(u, [1_8, wide]) /= 0) error stop 'image_index'
      if (image_index(coarray=u, sub=[wide - 2_8**32, 1_8]) /= 1) error stop 'image_index'
    end block
  end subroutine
end program cosubscripts
