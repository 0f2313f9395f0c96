!> Of several puts by one image to one place the last one counts, and its own gets see its own puts.
program order
  use checks
  implicit none
  integer :: one
  integer :: a(10)[*], me, next, k, got(10)

  me = this_image(); next = right_of(me)
  sync all
  do k = 1, 200
    a(:)[next] = k
    a(3:5)[next] = -k
    got = a(:)[next]
    call require(all(got == [k, k, -k, -k, -k, k, k, k, k, k]), 'a get after overlapping puts')
    one = a(3)[next]
    a(4)[next] = one + 1
    call require_equal(a(4)[next], 1 - k, 'a get after a put of what was got')
  end do
  sync all
  call require(all(a == [200, 200, -200, -199, -200, 200, 200, 200, 200, 200]), 'the last puts')
end program
