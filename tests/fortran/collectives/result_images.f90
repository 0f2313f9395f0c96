!> result_image= names any image, different from one collective to the next, also of an expression of another kind. The
!> other images keep what they had: Fortran leaves that undefined, but programs of others ask for it.
program result_images
  use checks
  implicit none
  integer :: me, n, total, root, a(50), i
  real(8) :: x
  character(3) :: s
  logical :: l

  me = this_image(); n = num_images(); total = n * (n + 1) / 2
  do root = 1, n
    a = me; x = 0.5d0 * me; s = 'i' // achar(iachar('0') + me); l = me == 1
    call co_sum(a, result_image=root)
    call co_min(x, result_image=n + 1 - root)
    call co_max(s, result_image=root)
    call co_reduce(l, either, result_image=modulo(root, n) + 1)
    if (me == root) call require(all(a == total) .and. s == 'i' // achar(iachar('0') + n), 'co_sum and co_max')
    if (me == n + 1 - root) call require(x == 0.5d0, 'co_min')
    if (me == modulo(root, n) + 1) call require(l, 'co_reduce')
    if (me /= root) call require(all(a == me) .and. s == 'i' // achar(iachar('0') + me), 'kept: co_sum and co_max')
    if (me /= n + 1 - root) call require(x == 0.5d0 * me, 'kept: co_min')
    if (me /= modulo(root, n) + 1) call require(l .eqv. me == 1, 'kept: co_reduce')
    a = [(i * me, i = 1, 50)]
    call co_sum(a(::7), result_image=int(root, 2))
    if (me == root) call require(all(a(::7) == [(i * total, i = 1, 50, 7)]), 'kind 2')
    if (me /= root) call require(all(a == [(i * me, i = 1, 50)]), 'kept: section')
    call require(all(a(2::7) == [(i * me, i = 2, 50, 7)]), 'beside the section')
  end do

contains

  pure logical function either(p, q)
    logical, intent(in) :: p, q
    either = p .or. q
  end function
end program
