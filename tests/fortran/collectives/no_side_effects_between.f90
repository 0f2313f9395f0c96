!> Collectives are not image control statements, but an image that has its result knows that all images have begun.
program no_side_effects_between
  use checks
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind
  implicit none
  integer(atomic_int_kind) :: arrived[*], seen
  integer :: me, n, x, k

  me = this_image(); n = num_images()
  call atomic_define(arrived, 0)
  sync all
  do k = 1, 20
    call atomic_add(arrived[1], 1)
    sync memory
    x = me
    call co_sum(x)
    ! The result depends on every image's value, so that every image has come to this collective.
    call atomic_ref(seen, arrived[1])
    call require(seen >= k * n, 'an image has not arrived')
    sync all
  end do
end program
