!> `n[i] = n[i] + 1` and its like: the operands are those of the image that is named, whatever it is.
! Not with gfortran 15: the operands are those of the local image.
program own_operand
  use checks
  implicit none
  integer :: n[*], a(4)[*]
  integer :: me, next, prev, turn

  me = this_image(); next = right_of(me); prev = left_of(me)
  n = 100 * me; a = [1, 2, 3, 4] * me
  sync all
  n[next] = n[next] + 1
  a(2:3)[next] = 2 * a(2:3)[next]
  sync all
  call require_equal(n, 100 * me + 1, 'scalar')
  call require(all(a == [1, 4, 6, 4] * me), 'section')
  sync all
  a(:)[next] = a(4:1:-1)[next] + n[prev]
  sync all
  call require(all(a == [4, 6, 4, 1] * me + 100 * left_of(prev) + 1), 'whole array and another image')
  ! One after the other.
  do turn = 1, num_images()
    if (turn == me) n[1] = n[1] + me
    sync all
  end do
  if (me == 1) call require_equal(n, 101 + num_images() * (num_images() + 1) / 2, 'in turns')
end program
