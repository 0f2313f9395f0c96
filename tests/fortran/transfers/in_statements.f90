!> Coindexed objects in statements: IF, SELECT CASE, DO bounds, WHERE, array constructors, internal READ and WRITE.
program in_statements
  use checks
  implicit none
  integer :: a(4)[*], n[*]
  character(20) :: text[*]
  integer :: me, next, i, k, got(4), mask(4)
  character(20) :: line

  me = this_image(); next = right_of(me)
  a = [1, 2, 3, 4] * me; n = me + 2; text = '42 17'
  sync all
  if (n[next] /= next + 2) call require(.false., 'if')
  select case (n[next])
  case (3:)
    k = 1
  case default
    k = 0
  end select
  call require_equal(k, 1, 'select case')
  k = 0
  do i = 1, n[next]
    k = k + 1
  end do
  call require_equal(k, next + 2, 'do')
  k = 0
  do while (k < a(4)[next])
    k = k + 4
  end do
  call require_equal(k, 4 * next, 'do while')
  got = 0
  mask = a(:)[next]
  where (mask > 2 * next) got = mask
  call require(all(got == [0, 0, 3, 4] * next), 'where')
  got = [a(4)[next], (a(i)[next], i = 1, 3)]
  call require(all(got == [4, 1, 2, 3] * next), 'array constructor')
  write (line, '(i0, 1x, i0)') n[next], a(2)[next]
  read (line, *) i, k
  call require(i == next + 2 .and. k == 2 * next, 'write')
  line = text[next]
  read (line, *) i, k
  call require(i == 42 .and. k == 17, 'read')
  write (line, '(4(i0, 1x))') a(:)[next]
  read (line, *) got
  call require(all(got == [1, 2, 3, 4] * next), 'write of an array')
end program
