!> Coarrays declared by attribute, by statement and in mixed lists, with SAVE, TARGET, VOLATILE and ASYNCHRONOUS.
program attributes
  use checks
  implicit none
  integer, codimension[*] :: a, b(3), c[2, *]
  integer, dimension(4), codimension[0:*] :: d, e(2, 2)
  real, save, target :: f(2)[*]
  integer, volatile :: g[*]
  integer, asynchronous :: h(3)[*]
  integer :: k, l, plain
  codimension :: k[*], l[3:*]
  dimension :: l(2)
  save :: k
  real, pointer :: p(:)
  integer :: me, next

  me = this_image(); next = right_of(me)
  a = me; b = me; c = me; d = me; e = me; f = me; g = me; h = me; k = me; l = me; plain = me
  p => f
  sync all
  call require(a[next] == next .and. b(3)[next] == next .and. k[next] == next, 'codimension')
  call require(c[1 + mod(next - 1, 2), 1 + (next - 1) / 2] == next, 'codimensions of its own')
  call require(d(4)[next - 1] == next .and. e(2, 2)[next - 1] == next .and. l(2)[next + 2] == next, 'lower cobounds')
  call require(f(2)[next] == next .and. g[next] == next .and. h(3)[next] == next, 'other attributes')
  sync all
  f(1)[next] = -me
  g[next] = -me
  sync all
  call require(p(1) == -left_of(me) .and. p(2) == me, 'through a pointer')
  call require(g == -left_of(me) .and. plain == me, 'volatile')
end program
