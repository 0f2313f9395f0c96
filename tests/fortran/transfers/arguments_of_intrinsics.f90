!> Coindexed arrays as arguments of intrinsic functions: reductions, transformations, inquiries, elemental ones.
program arguments_of_intrinsics
  use checks
  implicit none
  integer :: a(3, 4)[*], v(4)[*]
  real(8) :: x(3)[*]
  character(6) :: s[*]
  integer :: me, next, i

  me = this_image(); next = right_of(me)
  a = reshape([(me * i, i = 1, 12)], [3, 4]); v = [4, 1, 3, 2] * me; x = [0.25d0, 1d0, 4d0] * me**2
  s = ' i' // achar(iachar('0') + me)
  sync all
  call require_equal(sum(a(:, :)[next]), 78 * next, 'sum')
  call require_equal(maxval(v(:)[next]), 4 * next, 'maxval')
  call require_equal(minval(a(2, :)[next]), 2 * next, 'minval')
  call require(all(maxloc(v(:)[next]) == [1]), 'maxloc')
  call require_equal(count(v(:)[next] > 2 * next), 2, 'count')
  call require(any(v(:)[next] == next) .and. .not. all(v(:)[next] == next), 'any and all')
  call require(all(transpose(a(1:2, 1:2)[next]) == reshape([1, 4, 2, 5] * next, [2, 2])), 'transpose')
  call require(all(reshape(v(:)[next], [2, 2]) == reshape([4, 1, 3, 2] * next, [2, 2])), 'reshape')
  call require(all(matmul(a(:, :)[next], [1, 0, 0, 1]) == [11, 13, 15] * next), 'matmul')
  call require_equal(dot_product(v(:)[next], [1, 1, 1, 1]), 10 * next, 'dot_product')
  call require(all(sqrt(x(:)[next]) == [0.5d0, 1d0, 2d0] * next), 'elemental')
  call require(all(cshift(v(:)[next], 1) == [1, 3, 2, 4] * next), 'cshift')
  call require(all(merge(v(:)[next], 0, [.true., .false., .true., .false.]) == [4, 0, 3, 0] * next), 'merge')
  call require(all(pack(v(:)[next], [.false., .true., .true., .false.]) == [1, 3] * next), 'pack')
  call require(len_trim(s[next]) == 3 .and. adjustl(s[next]) == 'i' // achar(iachar('0') + next), 'characters')
  call require(size(a(:, 2:3)[next]) == 6 .and. kind(x(1)[next]) == 8, 'inquiries')
  call require(ior(v(2)[next], 256) == next + 256 .and. mod(a(3, 4)[next], 5) == mod(12 * next, 5), 'scalars')
end program
