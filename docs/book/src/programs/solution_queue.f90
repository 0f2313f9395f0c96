! Images take items from a queue: a counter on image 1. An image that is faster takes more of them.
program solution_queue
  use iso_fortran_env, only: atomic_int_kind
  implicit none
  integer, parameter :: items = 100
  integer(atomic_int_kind) :: taken[*], item
  integer :: total, number

  call atomic_define(taken, 0_atomic_int_kind)
  total = 0
  number = 0
  sync all
  do
    call atomic_fetch_add(taken[1], 1_atomic_int_kind, item)
    if (item >= items) exit
    total = total + int(item) + 1       ! the work: items are 1 to 100
    number = number + 1
  end do
  call co_sum(total)
  call co_sum(number)
  if (this_image() == 1) print '(2(a,i0))', 'items: ', number, ', sum: ', total
end program solution_queue
